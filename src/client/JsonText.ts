/** What of a value JSON turns into null, or does not have; undefined where it is kept. */
const lostIn = (before: unknown, value: unknown): string | undefined => {
  if (value === null && before !== null) return "an invalid Date"
  if (typeof value === "bigint") return "a BigInt"
  return typeof value === "number" && !Number.isFinite(value) ? String(value) : undefined
}

/**
 * The text of an input as JSON. A number that is none or endless, an invalid Date and a BigInt are a TypeError that has the field as
 * `param`: JSON would have null in their place, which clears a field, or leaves an amount out.
 */
export const jsonText = (input: unknown): string => {
  const paths = new Map<unknown, string>()
  return JSON.stringify(input, function (this: unknown, key, value: unknown) {
    const holder = paths.get(this) ?? ""
    const param = Array.isArray(this) ? `${holder}[${key}]` : holder === "" ? key : `${holder}.${key}`
    const lost = lostIn(Object(this)[key], value)
    if (lost !== undefined)
      throw Object.assign(new TypeError(`${param} must be what JSON has, not ${lost}.`), { param })
    if (typeof value === "object") paths.set(value, param)
    return value
  })
}
