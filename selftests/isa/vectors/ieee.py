# SPDX-License-Identifier: MIT
"""Floating point from the definition: exact values, one rounding.

A number is a NaN, an infinity or a signed fraction; nothing here uses the
machine's own arithmetic. Elementary functions are integers over 2^200.
"""

from fractions import Fraction

QNAN_SIGN = 1       # an invalid operation gives a negative quiet NaN


class Format:
    def __init__(self, ebits, mbits):
        self.ebits, self.mbits = ebits, mbits
        self.bias = (1 << (ebits - 1)) - 1
        self.emax = (1 << ebits) - 1
        self.sign = 1 << (ebits + mbits)
        self.inf = self.emax << mbits
        self.quiet = 1 << (mbits - 1)
        self.default = QNAN_SIGN * self.sign | self.inf | self.quiet
        self.tiny = Fraction(1, 1 << (self.bias - 1))   # smallest normal
        self.mask = self.sign * 2 - 1

    def isnan(self, x):
        return (x & ~self.sign & self.mask) > self.inf

    def issnan(self, x):
        return self.isnan(x) and not x & self.quiet

    def isinf(self, x):
        return (x & ~self.sign & self.mask) == self.inf

    def exponent(self, x):
        return x >> self.mbits & self.emax

    def neg(self, x):
        return bool(x & self.sign)

    def flush(self, x, keep):
        """A denormal becomes zero of its sign unless it is kept."""
        x &= self.mask
        return x & self.sign if not keep and not self.exponent(x) else x

    def value(self, x):
        """Fraction of a finite number."""
        e, m = self.exponent(x), x & ((1 << self.mbits) - 1)
        if e:
            m |= 1 << self.mbits
        shift = max(e, 1) - self.bias - self.mbits
        v = Fraction(m << shift) if shift >= 0 else Fraction(m, 1 << -shift)
        return -v if x & self.sign else v

    def round(self, v, mode=0, keep=True, negzero=False):
        """Bits of a Fraction. @mode: 0 nearest even, 1 up, 2 down, 3 to zero.
        Without @keep a result is zero that, rounded with any exponent, is
        below the smallest normal number."""
        if v == 0:
            return self.sign if negzero else 0
        neg = v < 0
        s = self.sign if neg else 0
        a = -v if neg else v
        e = a.numerator.bit_length() - a.denominator.bit_length()
        if a < (Fraction(1 << e) if e >= 0 else Fraction(1, 1 << -e)):
            e -= 1
        least = 1 - self.bias
        if not keep and self is F16:    # AMD says nothing; the engine looks at the result
            return self.flush(self.round(v, mode), False)
        if not keep and e < least:
            if e < least - 1 or self._units(a, e - self.mbits, mode, neg) >> (self.mbits + 1) == 0:
                return s
        q = max(e, least) - self.mbits
        n = self._units(a, q, mode, neg)
        if n >> (self.mbits + 1):
            n >>= 1
            q += 1
        biased = q + self.mbits + self.bias
        if n >> self.mbits == 0:
            return s | n
        if biased >= self.emax:
            away = mode == 0 or (mode == 1 and not neg) or (mode == 2 and neg)
            return s | self.inf if away else s | self.inf - 1
        return s | biased << self.mbits | n & ((1 << self.mbits) - 1)

    @staticmethod
    def _units(a, q, mode, neg):
        """@a in units of 2^q, rounded to an integer."""
        num, den = a.numerator, a.denominator
        if q >= 0:
            den <<= q
        else:
            num <<= -q
        n, rest = divmod(num, den)
        if rest:
            up = 2 * rest > den or (2 * rest == den and n & 1) if mode == 0 else \
                (mode == 1 and not neg) or (mode == 2 and neg)
            n += bool(up)
        return n


F16, F32, F64 = Format(5, 10), Format(8, 23), Format(11, 52)


class Env:
    """What MODE says about one format."""

    def __init__(self, fmt, rnd, denorm, ieee):
        self.f, self.rnd, self.ieee = fmt, rnd, ieee
        self.keep_in, self.keep_out = bool(denorm & 1), bool(denorm & 2)

    def arg(self, x):
        return self.f.flush(x, self.keep_in)

    def out(self, x):
        return self.f.flush(x, self.keep_out)

    def nan_of(self, *xs):
        for x in xs:
            if self.f.isnan(x):
                return x & self.f.mask | self.f.quiet
        return None

    def done(self, v, negzero=False):
        return self.f.round(v, self.rnd, self.keep_out, negzero)

    def add(self, a, b):
        f, n = self.f, self.nan_of(a, b)
        if n is not None:
            return n
        a, b = self.arg(a), self.arg(b)
        if f.isinf(a) or f.isinf(b):
            if f.isinf(a) and f.isinf(b) and a != b:
                return f.default
            return a if f.isinf(a) else b
        both = f.neg(a) if f.neg(a) == f.neg(b) else self.rnd == 2
        return self.done(f.value(a) + f.value(b), both)

    def mul(self, a, b):
        f, n = self.f, self.nan_of(a, b)
        if n is not None:
            return n
        a, b = self.arg(a), self.arg(b)
        s = (a ^ b) & f.sign
        if f.isinf(a) or f.isinf(b):
            return f.default if not a & ~f.sign or not b & ~f.sign else s | f.inf
        return self.done(f.value(a) * f.value(b), bool(s))

    def fma(self, a, b, c):
        f, n = self.f, self.nan_of(a, b, c)
        if n is not None:
            return n
        a, b, c = self.arg(a), self.arg(b), self.arg(c)
        s = (a ^ b) & f.sign
        if f.isinf(a) or f.isinf(b):
            if not a & ~f.sign or not b & ~f.sign or (f.isinf(c) and c & f.sign != s):
                return f.default
            return s | f.inf
        if f.isinf(c):
            return c
        negzero = bool(s) if s == c & f.sign else self.rnd == 2
        return self.done(f.value(a) * f.value(b) + f.value(c), negzero)

    def div(self, a, b):
        f, n = self.f, self.nan_of(a, b)
        if n is not None:
            return n
        a, b = self.arg(a), self.arg(b)
        s = (a ^ b) & f.sign
        if f.isinf(a):
            return f.default if f.isinf(b) else s | f.inf
        if not b & ~f.sign:
            return s | f.inf if a & ~f.sign else f.default
        if f.isinf(b):
            return s
        return self.done(f.value(a) / f.value(b), bool(s))

    def sqrt(self, a):
        f, n = self.f, self.nan_of(a)
        if n is not None:
            return n
        a = self.arg(a)
        if not a & ~f.sign:
            return a
        if a & f.sign:
            return f.default
        return a if f.isinf(a) else self.done(sqrt_approx(f.value(a)))

    def less(self, a, b):
        """a < b of two numbers that are no NaNs, -0 below +0."""
        f = self.f
        ka = -(a & ~f.sign) - 1 if f.neg(a) else a
        kb = -(b & ~f.sign) - 1 if f.neg(b) else b
        return ka < kb

    def minmax(self, a, b, want_max):
        f = self.f
        if self.ieee:
            for x in (a, b):
                if f.issnan(x):
                    return x | f.quiet
        if f.isnan(a):
            return b
        if f.isnan(b):
            return a
        a, b = self.arg(a), self.arg(b)
        return a if self.less(a, b) != want_max else b

    def med3(self, a, b, c):
        f = self.f
        if f.isnan(a) or f.isnan(b) or f.isnan(c):
            return self.minmax(self.minmax(a, b, False), c, False)
        m = self.minmax(self.minmax(a, b, True), c, True)
        if self.compare(m, a) == 0:
            return self.minmax(b, c, True)
        return self.minmax(a, c if self.compare(m, b) == 0 else b, True)

    def integral(self, a, mode):
        """To an integral value; @mode as rounding."""
        f, n = self.f, self.nan_of(a)
        if n is not None:
            return n
        a = self.arg(a)
        if f.isinf(a):
            return a
        v = f.value(a)
        k = Format._units(abs(v), 0, mode, v < 0)
        return f.round(Fraction(-k if v < 0 else k), 0, True, f.neg(a))

    def fract(self, a):
        f, n = self.f, self.nan_of(a)
        if n is not None:
            return n
        a = self.arg(a)
        if f.isinf(a):
            return f.default
        v = f.value(a)
        d = v - (v.numerator // v.denominator)
        r = self.done(d, self.rnd == 2)
        one = f.bias << f.mbits
        return one - 1 if not f.neg(r) and r >= one else r

    def ldexp(self, a, n):
        f, nan = self.f, self.nan_of(a)
        if nan is not None:
            return nan
        a = self.arg(a)
        if f.isinf(a):
            return a
        n = max(-5000, min(5000, n))
        v = f.value(a)
        return self.out(f.round(v * (1 << n) if n >= 0 else v / (1 << -n), self.rnd, True,
                                f.neg(a)))

    def frexp_mant(self, a):
        f, n = self.f, self.nan_of(a)
        if n is not None:
            return n
        a = self.arg(a)
        if f.isinf(a) or not a & ~f.sign:
            return a
        v = f.value(a)
        return f.round(v / pow2(floor_log2(abs(v)) + 1))

    def frexp_exp(self, a):
        f = self.f
        a = self.arg(a)
        if f.exponent(a) == f.emax or not a & ~f.sign:
            return 0
        return floor_log2(abs(f.value(a))) + 1

    def compare(self, a, b):
        """-1, 0, 1, or None if unordered."""
        f = self.f
        if f.isnan(a) or f.isnan(b):
            return None
        a, b = self.arg(a), self.arg(b)
        if not (a | b) & ~f.sign:
            return 0
        return 0 if a == b else -1 if self.less(a, b) else 1

    def to_int(self, a, lo, hi, mode=3):
        f = self.f
        if f.isnan(a):
            return 0
        if f.isinf(a):
            return lo if f.neg(a) else hi
        v = f.value(a)
        k = Format._units(abs(v), 0, mode, v < 0)
        return max(lo, min(hi, -k if v < 0 else k))


def pow2(n):
    return Fraction(1 << n) if n >= 0 else Fraction(1, 1 << -n)


def floor_log2(a):
    e = a.numerator.bit_length() - a.denominator.bit_length()
    return e - 1 if a < pow2(e) else e


def convert(x, src, dst, rnd=0, keep_out=True):
    """Between formats; a NaN keeps its upper bits and becomes quiet."""
    s = dst.sign if src.neg(x) else 0
    if src.isnan(x):
        frac = x & ((1 << src.mbits) - 1)
        frac = frac << (dst.mbits - src.mbits) if dst.mbits >= src.mbits else \
            frac >> (src.mbits - dst.mbits)
        return s | dst.inf | dst.quiet | frac
    if src.isinf(x):
        return s | dst.inf
    return dst.flush(dst.round(src.value(x), rnd, True, src.neg(x)), keep_out)


# ---- elementary functions, as fractions good to more than 150 bits ----

P = 200
ONE = 1 << P


def isqrt(n):
    x = 1 << (n.bit_length() + 1) // 2
    while True:
        y = (x + n // x) // 2
        if y >= x:
            return x
        x = y


def sqrt_approx(v):
    """Root, exact where it can be, else with a sticky bit far down."""
    e = floor_log2(v) // 2
    n = v / pow2(2 * e) * (1 << 2 * P)
    num, rest = divmod(n.numerator, n.denominator)
    r = isqrt(num)
    odd = rest or r * r != num
    return Fraction(2 * r + bool(odd), 2 * ONE) * pow2(e)


def _series(x, first, step):
    """Sum of x^k / k! for k = first, first + step, ..., alternating if step is 2."""
    term, total, k = ONE, 0, 0
    for k in range(1, first + 1):
        term = term * x // ONE // k
    k = first
    while term:
        total += term
        for _ in range(step):
            k += 1
            term = term * x // ONE // k
        if step == 2:
            term = -term
        if abs(term) <= 1:
            break
    return total


def _ln(num):
    """Natural logarithm of num / ONE, near 1: 2 artanh((x-1)/(x+1))."""
    z = (num - ONE) * ONE // (num + ONE)
    z2, total, k, p = z * z // ONE, 0, 1, z
    while p and abs(p) > 1:
        total += p // k
        p = p * z2 // ONE
        k += 2
    return 2 * total


LN2 = -_ln(ONE // 2)


def arctan_inverse(n, one):
    """arctan(1 / n) in units of 1 / one"""
    total, p, k, s = 0, one // n, 1, 1
    while p:
        total += s * (p // k)
        p //= n * n
        k += 2
        s = -s
    return total


PI = 4 * (4 * arctan_inverse(5, ONE) - arctan_inverse(239, ONE))


def exp2(v):
    n = v.numerator // v.denominator
    if abs(n) > 100000:
        n = 100000 if n > 0 else -100000
        return pow2(n)
    x = (v - n) * LN2
    return Fraction(_series(x.numerator // x.denominator, 0, 1), ONE) * pow2(n)


def log2(v):
    e = floor_log2(v)
    m = v / pow2(e)
    if m > Fraction(3, 2):
        m /= 2
        e += 1
    n = m * ONE
    return e + Fraction(_ln(n.numerator // n.denominator), LN2)


def sin_turns(v):
    """sin(2 pi v)"""
    r = v - (v + Fraction(1, 2)).numerator // (v + Fraction(1, 2)).denominator
    if r > Fraction(1, 4):
        r = Fraction(1, 2) - r
    elif r < -Fraction(1, 4):
        r = -Fraction(1, 2) - r
    if r == Fraction(1, 4):
        return Fraction(1)
    if r == -Fraction(1, 4):
        return Fraction(-1)
    x = r * 2 * PI
    if r and abs(x) < 1 << 60:      # so small that the sine is the angle
        return Fraction(x, ONE) if isinstance(x, int) else x / ONE
    return Fraction(_series(x.numerator // x.denominator, 1, 2), ONE)
