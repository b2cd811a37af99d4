import { compareCodePoints } from "../../domain/kernel/Text.ts"

interface Owned {
  readonly id: string
  readonly organisation_id: string
}

/** The first of each organisation, then the second of each: each with its place within its organisation. */
export const inTurn = <A extends Owned>(all: ReadonlyArray<A>, millisOf: (each: A) => number): ReadonlyArray<A> => {
  const places = new Map<string, number>()
  const earliest = (a: A, b: A) => millisOf(a) - millisOf(b) || compareCodePoints(a.id, b.id)
  return all
    .toSorted(earliest)
    .map((each) => {
      const place = places.get(each.organisation_id) ?? 0
      places.set(each.organisation_id, place + 1)
      return { each, place }
    })
    .toSorted((a, b) => a.place - b.place || earliest(a.each, b.each))
    .map(({ each }) => each)
}
