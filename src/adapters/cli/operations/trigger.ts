import { Effect, Predicate, Schedule, Schema } from "effect"
import { Argument } from "effect/cli"
import { Events } from "../../../app/outbox/Events.ts"
import { twinSlug } from "../../../domain/access/Organisation.ts"
import { parse } from "../../../domain/kernel/Listing.ts"
import { GuardRefused } from "../../../domain/kernel/Machine.ts"
import { Forbidden } from "../../../domain/kernel/Rejection.ts"
import * as Event from "../../../domain/outbox/Event.ts"
import { CurrentCaller } from "../../../ports/access/CurrentCaller.ts"
import { commandsOf, type Declaration, ofInstallation, ofOrganisation } from "../Operation.ts"
import { triggers } from "../Triggers.ts"
import { Empty, listOf, switchOf } from "./Parameters.ts"

/** Of a running server's worker, which may be about to do what the steps began. */
const patience = Schedule.spaced("200 millis").pipe(Schedule.upTo({ duration: "10 seconds" }))

const Listed = listOf(Schema.Struct({ type: Schema.String, emitted_when: Schema.String }))

const said: Pick<Declaration<never, never, never, never>, "description" | "parameters" | "columns"> = {
  description: "Make an event of a sandbox really happen: what it needs is made, given, paid, disputed or waited for",
  parameters: {
    type: Argument.optional(
      Argument.withDescription(Argument.String("type"), "The event's type, e.g. donation.succeeded")
    ),
    list: switchOf("list", "List the types")
  },
  columns: ["type", "emitted_when"]
}

const list = ofInstallation({
  ...said,
  input: Empty,
  output: Listed,
  run: () =>
    Effect.succeed({
      data: Event.eventTypes.map((type) => ({ type, emitted_when: Event.catalogue[type].when }))
    })
})

const trigger = ofOrganisation({
  ...said,
  input: Schema.Struct({ type: Schema.Literals(Event.eventTypes) }),
  output: Event.EventRecord,
  run: Effect.fnUntraced(function* ({ type }) {
    const { organisation } = yield* CurrentCaller
    if (!organisation.is_sandbox) {
      const message = `Events are triggered in sandboxes, and ${organisation.slug} is live. Use ${twinSlug(organisation)}.`
      return yield* new Forbidden({ operation: "trigger", message })
    }
    const about = yield* triggers[type]
    const query = yield* Effect.fromResult(parse(Event.listingAmong([]), [["type", type]]))
    return yield* Events.use((events) => events.list(query)).pipe(
      Effect.flatMap(({ data }) =>
        Effect.fromNullishOr(data.find((event) => Object.values(Object(event.data)).includes(about)))
      ),
      Effect.retry({ schedule: patience, while: Predicate.isTagged("NoSuchElementError") }),
      Effect.catchTag("NoSuchElementError", () => {
        const message = `What makes ${type} happen to ${about} was done, and the event is not there yet: look at event list.`
        return new GuardRefused({ machine: "Event", command: type, rule: "it happens", message })
      })
    )
  })
})

export const triggerCommands = commandsOf(null, {
  trigger: {
    ...trigger,
    ofOrganisation: null,
    misuse: ({ list: listed, type }) =>
      (type === undefined) === (listed === true) ? undefined : "Name an event type, or give --list alone.",
    perform: (input, slug) => {
      const { list: listed, ...given } = Object(input)
      return listed === true ? list.perform({}, slug) : trigger.perform(given, slug)
    }
  }
})
