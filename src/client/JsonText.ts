/** What of a value JSON turns into null, leaves out, or does not have; undefined where it is kept. */
const lostIn = (before: unknown, value: unknown, isItem: boolean): string | undefined => {
  if (value === null && before !== null) return "an invalid Date"
  if (typeof value === "bigint") return "a BigInt"
  if (typeof value === "function" || typeof value === "symbol") return `a ${typeof value}`
  // A field that is undefined is one that is left out; an item would be null.
  if (value === undefined && isItem) return "undefined"
  return typeof value === "number" && !Number.isFinite(value) ? String(value) : undefined
}

/**
 * The text of an input as JSON. A number that is none or endless, an invalid Date, a BigInt, a function and a symbol are
 * a TypeError that has the field as `param`: JSON would have null or nothing in their place, which clears a field, or leaves
 * an amount out.
 */
export const jsonText = (input: unknown): string => {
  const paths = new Map<unknown, string>()
  return JSON.stringify(input, function (this: unknown, key, value: unknown) {
    const holder = paths.get(this) ?? ""
    const param = Array.isArray(this) ? `${holder}[${key}]` : holder === "" ? key : `${holder}.${key}`
    const lost = lostIn(Object(this)[key], value, Array.isArray(this))
    if (lost !== undefined)
      throw Object.assign(new TypeError(`${param} must be what JSON has, not ${lost}.`), { param })
    if (typeof value === "object") paths.set(value, param)
    return value
  })
}
