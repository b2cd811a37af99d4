/** The fields that tell a repetition of an event. */
interface Repeatable {
  readonly type: string
  /** Null where each occurrence is delivered. */
  readonly dedupe_key: string | null
}

/**
 * The events that an outbox stores of those it is handed, in their order: the first of each type and dedupe key, and
 * all without a key. Machines emit each time; repetitions are dropped here. decisions, section 5: Donation.
 * @example
 * const twice = [{ type: "donation.confirmed", dedupe_key: "a" }, { type: "donation.confirmed", dedupe_key: "a" }]
 * EventRepeats.firstOfEach(twice).length // => 1
 */
export const firstOfEach = <Event extends Repeatable>(events: Iterable<Event>): ReadonlyArray<Event> => {
  const known = new Map<string, Set<string>>()
  const kept: Array<Event> = []
  for (const event of events) {
    if (event.dedupe_key !== null) {
      const keys = known.get(event.type) ?? new Set()
      if (keys.has(event.dedupe_key)) continue
      known.set(event.type, keys.add(event.dedupe_key))
    }
    kept.push(event)
  }
  return kept
}
