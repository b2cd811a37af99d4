import fc from "fast-check"

const surrogates = { first: 0xd800, count: 0x800 }

const characterAt = (place: number): string =>
  String.fromCodePoint(place < surrogates.first ? place : place + surrogates.count)

const placeOf = (text: unknown): number => {
  const point = typeof text === "string" ? (text.codePointAt(0) ?? 0) : 0
  const place = point < surrogates.first ? point : point - surrogates.count
  if (characterAt(place) !== text) throw new RangeError("This is not one character.")
  return place
}

/**
 * Any character of Unicode, as the unit of `fc.string`: fast-check's own "binary" makes a table of them all in each process,
 * which takes a second and a hundred megabytes, and so do its addresses of pages.
 */
export const character: fc.Arbitrary<string> = fc.nat({ max: 0x10_ff_ff - surrogates.count }).map(characterAt, placeOf)

const pathSegment = fc.string({ unit: character, maxLength: 8 }).map(encodeURIComponent)

/** Addresses of pages, of any host, path and query. */
export const webUrl: fc.Arbitrary<string> = fc
  .tuple(fc.constantFrom("http", "https"), fc.domain(), fc.array(pathSegment, { maxLength: 4 }), fc.option(pathSegment))
  .map(([scheme, host, path, query]) => `${scheme}://${host}/${path.join("/")}${query === null ? "" : `?${query}`}`)
