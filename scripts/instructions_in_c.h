/* The AVX-512, VNNI and Arm instructions that ranks.c uses, lane by lane, for processors that lack them: tests only.
 * Sums are plain int, so that -fsanitize=undefined finds an overflow. */
#include <immintrin.h> /* AVX2 stays as it is */

typedef struct { float f[16]; } lanes_f;
typedef struct { int32_t i[16]; } lanes_i;
#define __m512 lanes_f
#define __m512i lanes_i
#define LANES(result, expression)                                                                         \
    result out;                                                                                           \
    for (int n = 0; n < 16; n++)                                                                          \
        expression;                                                                                       \
    return out

#define _mm512_set1_ps(x) lanes_set1_ps(x)
static inline lanes_f lanes_set1_ps(float x) { LANES(lanes_f, out.f[n] = x); }
#define _mm512_loadu_ps(at) lanes_loadu_ps(at)
static inline lanes_f lanes_loadu_ps(const float *at) { LANES(lanes_f, out.f[n] = at[n]); }
#define _mm512_storeu_ps(at, x) lanes_storeu_ps(at, x)
static inline void lanes_storeu_ps(float *at, lanes_f x) { memcpy(at, x.f, sizeof x.f); }
#define _mm512_fmadd_ps(a, b, c) lanes_fmadd_ps(a, b, c)
static inline lanes_f lanes_fmadd_ps(lanes_f a, lanes_f b, lanes_f c)
{
    LANES(lanes_f, out.f[n] = fmaf(a.f[n], b.f[n], c.f[n]));
}
#define _mm512_fnmadd_ps(a, b, c) lanes_fnmadd_ps(a, b, c)
static inline lanes_f lanes_fnmadd_ps(lanes_f a, lanes_f b, lanes_f c)
{
    LANES(lanes_f, out.f[n] = fmaf(-a.f[n], b.f[n], c.f[n]));
}
#define _mm512_cmp_ps_mask(a, b, how) lanes_cmp_ps_mask(a, b, how)
static inline uint16_t lanes_cmp_ps_mask(lanes_f a, lanes_f b, int how)
{
    uint16_t mask = 0;
    for (int n = 0; n < 16; n++)
        mask |= (uint16_t)((how == _CMP_GT_OQ ? a.f[n] > b.f[n] : a.f[n] < b.f[n]) << n);
    return mask;
}
#define _mm512_set1_epi32(x) lanes_set1_epi32(x)
static inline lanes_i lanes_set1_epi32(int32_t x) { LANES(lanes_i, out.i[n] = x); }
#define _mm512_loadu_si512(at) lanes_loadu_si512(at)
static inline lanes_i lanes_loadu_si512(const void *at)
{
    lanes_i out;
    memcpy(out.i, at, sizeof out.i);
    return out;
}
#define _mm512_add_epi32(a, b) lanes_add_epi32(a, b)
static inline lanes_i lanes_add_epi32(lanes_i a, lanes_i b) { LANES(lanes_i, out.i[n] = a.i[n] + b.i[n]); }
#define _mm512_cvtepi32_ps(x) lanes_cvtepi32_ps(x)
static inline lanes_f lanes_cvtepi32_ps(lanes_i x) { LANES(lanes_f, out.f[n] = (float)x.i[n]); }

static inline int32_t pairs(int32_t a, int32_t b) /* signed 16 bits times signed 16 bits, twice */
{
    int16_t x[2], y[2];
    memcpy(x, &a, 4), memcpy(y, &b, 4);
    return x[0] * y[0] + x[1] * y[1];
}
static inline int32_t fours(int32_t a, int32_t b) /* unsigned 8 bits times signed 8 bits, four times */
{
    uint8_t x[4];
    int8_t y[4];
    memcpy(x, &a, 4), memcpy(y, &b, 4);
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2] + x[3] * y[3];
}
#define _mm512_madd_epi16(a, b) lanes_madd_epi16(a, b)
static inline lanes_i lanes_madd_epi16(lanes_i a, lanes_i b) { LANES(lanes_i, out.i[n] = pairs(a.i[n], b.i[n])); }
#define _mm512_dpwssd_epi32(sum, a, b) lanes_dpwssd_epi32(sum, a, b)
static inline lanes_i lanes_dpwssd_epi32(lanes_i sum, lanes_i a, lanes_i b)
{
    LANES(lanes_i, out.i[n] = sum.i[n] + pairs(a.i[n], b.i[n]));
}
#define _mm512_dpbusd_epi32(sum, a, b) lanes_dpbusd_epi32(sum, a, b)
static inline lanes_i lanes_dpbusd_epi32(lanes_i sum, lanes_i a, lanes_i b)
{
    LANES(lanes_i, out.i[n] = sum.i[n] + fours(a.i[n], b.i[n]));
}

/* AVX-VNNI: the same on half the lanes. */
#define EIGHT(product)                                                                                    \
    int32_t to[8], from[2][8];                                                                            \
    memcpy(to, &sum, 32), memcpy(from[0], &a, 32), memcpy(from[1], &b, 32);                               \
    for (int n = 0; n < 8; n++)                                                                           \
        to[n] += product(from[0][n], from[1][n]);                                                         \
    memcpy(&sum, to, 32);                                                                                 \
    return sum
#define _mm256_dpwssd_avx_epi32(sum, a, b) lanes_dpwssd_8(sum, a, b)
static inline __m256i lanes_dpwssd_8(__m256i sum, __m256i a, __m256i b) { EIGHT(pairs); }
#define _mm256_dpbusd_avx_epi32(sum, a, b) lanes_dpbusd_8(sum, a, b)
static inline __m256i lanes_dpbusd_8(__m256i sum, __m256i a, __m256i b) { EIGHT(fours); }

/* Arm: vectors of 128 bits. */
typedef struct { float f[4]; } float32x4_t;
typedef struct { int32_t i[4]; } int32x4_t;
typedef struct { uint32_t u[4]; } uint32x4_t;
typedef struct { int8_t i[16]; } int8x16_t;
typedef struct { uint16_t u[4]; } uint16x4_t;
typedef struct { uint16_t u[8]; } uint16x8_t;
typedef struct { uint8_t u[8]; } uint8x8_t;
typedef struct { uint8_t u[16]; } uint8x16_t;
#define FOUR(result, expression)                                                                          \
    result out;                                                                                           \
    for (int n = 0; n < (int)(sizeof out / sizeof *FIRST(out)); n++)                                      \
        expression;                                                                                       \
    return out
#define FIRST(x) _Generic((x), float32x4_t: (float *)0, int32x4_t: (int32_t *)0, uint32x4_t: (uint32_t *)0, \
    uint16x4_t: (uint16_t *)0, uint16x8_t: (uint16_t *)0, uint8x8_t: (uint8_t *)0, uint8x16_t: (uint8_t *)0)

static inline float32x4_t vdupq_n_f32(float x) { FOUR(float32x4_t, out.f[n] = x); }
static inline float32x4_t vld1q_dup_f32(const float *at) { FOUR(float32x4_t, out.f[n] = *at); }
static inline float32x4_t vld1q_f32(const float *at) { FOUR(float32x4_t, out.f[n] = at[n]); }
static inline void vst1q_f32(float *at, float32x4_t x) { memcpy(at, x.f, sizeof x.f); }
static inline float32x4_t vfmaq_f32(float32x4_t sum, float32x4_t a, float32x4_t b)
{
    FOUR(float32x4_t, out.f[n] = fmaf(a.f[n], b.f[n], sum.f[n]));
}
static inline float32x4_t vfmsq_f32(float32x4_t sum, float32x4_t a, float32x4_t b)
{
    FOUR(float32x4_t, out.f[n] = fmaf(-a.f[n], b.f[n], sum.f[n]));
}
static inline int32x4_t vdupq_n_s32(int32_t x) { FOUR(int32x4_t, out.i[n] = x); }
static inline int32x4_t vld1q_s32(const int32_t *at) { FOUR(int32x4_t, out.i[n] = at[n]); }
static inline float32x4_t vcvtq_f32_s32(int32x4_t x) { FOUR(float32x4_t, out.f[n] = (float)x.i[n]); }
static inline int8x16_t vreinterpretq_s8_s32(int32x4_t x)
{
    int8x16_t out;
    memcpy(out.i, x.i, sizeof out.i);
    return out;
}
static inline int32x4_t vdotq_s32(int32x4_t sum, int8x16_t a, int8x16_t b)
{
    for (int n = 0; n < 16; n++)
        sum.i[n / 4] += a.i[n] * b.i[n];
    return sum;
}
static inline uint32x4_t vcgtq_f32(float32x4_t a, float32x4_t b) { FOUR(uint32x4_t, out.u[n] = a.f[n] > b.f[n] ? ~0u : 0); }
static inline uint32x4_t vcltq_f32(float32x4_t a, float32x4_t b) { FOUR(uint32x4_t, out.u[n] = a.f[n] < b.f[n] ? ~0u : 0); }
static inline uint16x4_t vmovn_u32(uint32x4_t x) { FOUR(uint16x4_t, out.u[n] = (uint16_t)x.u[n]); }
static inline uint16x8_t vcombine_u16(uint16x4_t a, uint16x4_t b) { FOUR(uint16x8_t, out.u[n] = n < 4 ? a.u[n] : b.u[n - 4]); }
static inline uint8x8_t vmovn_u16(uint16x8_t x) { FOUR(uint8x8_t, out.u[n] = (uint8_t)x.u[n]); }
static inline uint8x16_t vcombine_u8(uint8x8_t a, uint8x8_t b) { FOUR(uint8x16_t, out.u[n] = n < 8 ? a.u[n] : b.u[n - 8]); }
static inline uint8x16_t vandq_u8(uint8x16_t a, uint8x16_t b) { FOUR(uint8x16_t, out.u[n] = a.u[n] & b.u[n]); }
static inline uint8x16_t vld1q_u8(const uint8_t *at) { FOUR(uint8x16_t, out.u[n] = at[n]); }
static inline uint8x8_t vget_low_u8(uint8x16_t x) { FOUR(uint8x8_t, out.u[n] = x.u[n]); }
static inline uint8x8_t vget_high_u8(uint8x16_t x) { FOUR(uint8x8_t, out.u[n] = x.u[n + 8]); }
static inline uint8_t vaddv_u8(uint8x8_t x)
{
    uint8_t sum = 0;
    for (int n = 0; n < 8; n++)
        sum = (uint8_t)(sum + x.u[n]);
    return sum;
}
