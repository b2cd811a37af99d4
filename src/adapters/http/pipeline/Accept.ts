const weightOf = (parameters: ReadonlyArray<string>): number => {
  const weight = parameters.map((each) => each.trim().toLowerCase()).find((each) => each.startsWith("q="))
  const value = weight === undefined ? 1 : Number(weight.slice(2))
  return value >= 0 && value <= 1 ? value : 0
}

/** More than any program sends is not looked at. */
const most = 50

/** The weights of an Accept-like header, by lower-case name. RFC 9110, section 12.4.2. */
export const weightsOf = (header: string): ReadonlyMap<string, number> =>
  new Map(
    header.split(",", most).map((each) => {
      const [name = "", ...parameters] = each.split(";")
      return [name.trim().toLowerCase(), weightOf(parameters)] as const
    })
  )
