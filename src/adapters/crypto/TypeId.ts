import { V7Generator } from "uuidv7"
import { type IdKind, type IdOf, idDigits, idPrefixes } from "../../domain/kernel/Ids.ts"

/** The random numbers that are drawn with one call. A call for each id would cost as much as the rest of the id. */
const drawnAtOnce = 1_024

/** Numbers of 32 bits from the platform's generator; none is given twice. */
const makeRandom = () => {
  const drawn = new Uint32Array(drawnAtOnce)
  let next = drawnAtOnce
  return {
    nextUint32: (): number => {
      if (next === drawnAtOnce) {
        crypto.getRandomValues(drawn)
        next = 0
      }
      return drawn[next++] ?? 0
    }
  }
}

const generator = new V7Generator(makeRandom())

const digit = (value: number): string => idDigits.charAt(value & 31)

/** Five bytes as eight digits. */
const group = (a: number, b: number, c: number, d: number, e: number): string =>
  digit(a >> 3) +
  digit((a << 2) | (b >> 6)) +
  digit(b >> 1) +
  digit((b << 4) | (c >> 4)) +
  digit((c << 1) | (d >> 7)) +
  digit(d >> 2) +
  digit((d << 3) | (e >> 5)) +
  digit(e)

/** Sixteen bytes as the 26 digits of a TypeID: 130 bits, of which the first two are zero. */
export const suffixOf = (bytes: Readonly<Uint8Array>): string => {
  const [first = 0] = bytes
  let text = digit(first >> 5) + digit(first)
  for (let i = 1; i < 16; i += 5) {
    text += group(bytes[i] ?? 0, bytes[i + 1] ?? 0, bytes[i + 2] ?? 0, bytes[i + 3] ?? 0, bytes[i + 4] ?? 0)
  }
  return text
}

/** A new TypeID. It has the form of its kind's schema, which the cast to the brand relies on. */
export const typeIdOf = <K extends IdKind>(kind: K): IdOf<K> =>
  `${idPrefixes[kind]}_${suffixOf(generator.generate().bytes)}` as string as IdOf<K>
