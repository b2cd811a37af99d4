/** A variable that is set and that nothing reads, although its name looks like one of Almoner's. */
export interface UnknownVariable {
  readonly name: string
  readonly nearest: string
}

/** Those that the documents have callers and receivers set, perhaps in the same shell. */
const ofCallers: ReadonlySet<string> = new Set(["ALMONER_KEY", "API_KEY", "WEBHOOK_SECRET"])

/** Kubernetes sets these for each of its services, such as one that is called `almoner` or `database`. */
const isOfKubernetes = (name: string, value: string): boolean =>
  /_SERVICE_HOST$|_SERVICE_PORT(?:$|_)|_PORT_\d+_(?:TCP|UDP|SCTP)(?:$|_)/.test(name) ||
  (name.endsWith("_PORT") && /^(?:tcp|udp|sctp):\/\//.test(value))

/** How many letters must be put in, left out, changed or swapped with their neighbour to make one name of the other. */
const editsBetween = (one: string, other: string): number => {
  let [before, last]: [ReadonlyArray<number>, ReadonlyArray<number>] = [
    [],
    Array.from({ length: other.length + 1 }, (_, index) => index)
  ]
  for (let i = 1; i <= one.length; i++) {
    const row = [i]
    for (let j = 1; j <= other.length; j++) {
      const swapped = one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      row[j] = Math.min(
        (row[j - 1] ?? 0) + 1,
        (last[j] ?? 0) + 1,
        (last[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1),
        swapped ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY
      )
    }
    ;[before, last] = [last, row]
  }
  return last[other.length] ?? 0
}

/** `STRIPE_` of `STRIPE_SECRET_KEY`; null for a name of one word. */
const beginningOf = (name: string): string | null => /^[^_]+_/.exec(name)?.[0] ?? null

/**
 * The variables that begin as one of the known names does, or are one edit away from it, and are none of them. Nothing
 * is said of their values.
 */
export const unknownVariables = (
  environment: Readonly<Record<string, string | undefined>>,
  known: ReadonlyArray<string>
): ReadonlyArray<UnknownVariable> =>
  Object.entries(environment).flatMap(([name, value]) => {
    if (known.includes(name) || ofCallers.has(name) || isOfKubernetes(name, value ?? "")) return []
    const upper = name.toUpperCase()
    // A name that is far too long to be a slip of the hand is not compared with all.
    if (upper.length > 100) return []
    const beginning = beginningOf(upper)
    const alike = beginning === null ? [] : known.filter((each) => beginningOf(each) === beginning)
    const [nearest] = known
      .map((each) => ({ each, edits: editsBetween(upper, each) }))
      .filter(({ each, edits }) => edits <= 1 || alike.includes(each))
      .sort((a, b) => a.edits - b.edits)
    return nearest === undefined ? [] : [{ name, nearest: nearest.each }]
  })

export const sentenceOf = ({ name, nearest }: UnknownVariable): string =>
  `${name} is set, and Almoner reads no variable of that name. Is ${nearest} meant? almoner serve --help names them all.`
