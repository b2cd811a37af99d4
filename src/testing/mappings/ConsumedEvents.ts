import { DateTime } from "effect"
import fc from "fast-check"
import * as ConsumedEvent from "../../domain/outbox/ConsumedEvent.ts"
import { isReached } from "../InTime.ts"
import { charity, modelOf, noChange, real, start, stateOf } from "./Charity.ts"

const error = "the books are closed"

/**
 * Whole sevens of minutes, of four days. The service counts the store's clock on while a handler runs, so that it may be
 * milliseconds later: no delay of the schedule is a multiple of these, and nothing falls due in that very moment.
 */
const instant = fc.integer({ min: 0, max: 822 }).map((sevens) => DateTime.add(start, { minutes: 7 * sevens }))

const times = ["next_attempt_at", "created_at", "updated_at", "parked_at"]

/** The record by the minute, for the same reason. */
const byMinutes = (record: object): object =>
  Object.fromEntries(
    Object.entries(record).map(([field, value]) => [
      field,
      times.includes(field) && value !== null
        ? Math.floor(DateTime.toEpochMillis(DateTime.makeUnsafe(value)) / 60_000)
        : value
    ])
  )

const attempts = 6

const isOver = ({ status }: ConsumedEvent.ConsumedEvent): boolean => status === "HANDLED" || status === "SKIPPED"

/**
 * Events that a handler fails to handle or handles, and that operators try anew or skip, beside
 * {@link ConsumedEvent.machine}. A script begins after the first attempt, which fails: operators are shown what has failed.
 * Times are those of the store, so that only a store by the test's clock can be driven: the one in memory.
 */
export const consumedEvents = modelOf(ConsumedEvent.machine, (driven) => ({
  commands: fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({ _tag: fc.constant("Retry" as const), at: instant, error: fc.constant(error) })
    },
    { weight: 1, arbitrary: fc.record({ _tag: fc.constant("Handle" as const), at: instant }) },
    { weight: 2, arbitrary: fc.record({ _tag: fc.constant("Resume" as const), at: instant }) },
    { weight: 1, arbitrary: fc.record({ _tag: fc.constant("Skip" as const), at: instant }) }
  ),
  maxLength: 12,
  shown: (event) => (isOver(event) || event.attempt_count === 0 ? {} : byMinutes(event)),
  open: async () => {
    const { almoner } = driven
    const { calls } = await charity(driven)
    const name = `model-${crypto.randomUUID()}`
    let fails = true
    const { stop } = await almoner.events.subscribe({ name, types: ["donor.created"] }, async () => {
      if (fails) throw new Error(error)
    })
    await calls.donors.create({ first_name: "Mary" })
    await almoner.consume()
    const [failed] = (await almoner.eventConsumers.read(name)).events
    if (failed === undefined) throw new RangeError("the event was not handed out")
    const born = stateOf(ConsumedEvent.ConsumedEvent, failed)
    const { event_id } = born
    const read = async () => {
      const { events } = await almoner.eventConsumers.read(name)
      return byMinutes(events.find((each) => each.event_id === event_id) ?? {})
    }
    const handled = real(driven, calls, { ...born, id: event_id }, read, (command: ConsumedEvent.Command) => {
      if (command._tag === "Resume") return almoner.eventConsumers.retry(name, event_id)
      if (command._tag === "Skip") return almoner.eventConsumers.skip(name, event_id)
      fails = command._tag !== "Handle"
      return almoner.consume()
    })
    const close = () => stop().then(() => almoner.eventConsumers.delete(name))
    return { ...handled, born, events: async () => [], close }
  },
  answers: (decides, state, command) => {
    if (command._tag === "Resume" || command._tag === "Skip") return decides(state, command)
    // Only what waits and is due is handed out.
    if (state.status !== "PENDING" || !isReached(state.next_attempt_at, command.at)) return noChange(state)
    if (command._tag !== "Retry") return decides(state, command)
    return decides(state, state.attempt_count + 1 < attempts ? command : { ...command, _tag: "Park" })
  },
  // An event that is handled or skipped is kept for nobody.
  refusal: ({ _tag }, state) => (isOver(state) ? "NotFound" : _tag)
}))
