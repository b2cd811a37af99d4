import { Effect } from "effect"
import { numberedSlug } from "../../../domain/giving/FormSettings.ts"

/** Slugs that are looked up at once. */
const batch = 50

/** As many records may have one name: what is beyond is not looked for. */
const furthest = 2 ** 40

/** The numbers after one: the nearest one by one, for few records share a name, and then ever further apart. */
const after = (low: number): ReadonlyArray<number> => {
  const near = batch / 2
  const factor = (furthest / (low + near)) ** (1 / near)
  return [
    ...Array.from({ length: near }, (_, index) => low + index + 1),
    ...Array.from({ length: near }, (_, index) => Math.ceil((low + near) * factor ** (index + 1)))
  ]
}

/** The numbers after one that is taken up to one that is free: evenly apart, or one by one and somewhat further. */
const between = (low: number, free: number): ReadonlyArray<number> => {
  const step = Math.max(1, (free - low) / batch)
  return Array.from({ length: batch }, (_, index) => low + Math.floor((index + 1) * step))
}

/** The number by which a stem makes the slug, if there is one. */
const numberOf = (stem: string, slug: string): number | undefined => {
  const number = Number(/-(\d+)$/u.exec(slug)?.[1] ?? 1)
  return numberedSlug(stem, number) === slug ? number : undefined
}

/**
 * Finds a slug of a stem that no other record has: the first one, where the lowest are not all taken, and otherwise one whose
 * number follows one that is taken. A record may keep `own`. Somebody else may take it meanwhile. `takenSlugs` tells which of
 * some slugs are taken.
 */
export const makeFreeSlug = (takenSlugs: (slugs: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<string>>) =>
  Effect.fnUntraced(function* (stem: string, own: string | null) {
    const ownNumber = own === null ? undefined : numberOf(stem, own)
    const withOwn = (numbers: ReadonlyArray<number>): ReadonlyArray<number> =>
      ownNumber === undefined ? numbers : [...new Set([...numbers, ownNumber])].sort((a, b) => a - b)
    let low = 0
    // Few records have the name of another.
    let numbers = withOwn([1])
    for (;;) {
      const taken = new Set(yield* takenSlugs(numbers.map((number) => numberedSlug(stem, number))))
      const free = numbers.find((number) => number === ownNumber || !taken.has(numberedSlug(stem, number)))
      low = numbers.findLast((number) => free === undefined || number < free) ?? low
      if (free !== undefined && (free === low + 1 || free === ownNumber)) return numberedSlug(stem, free)
      numbers = free === undefined ? after(low) : between(low, free)
    }
  })
