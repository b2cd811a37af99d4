import { type DateTime, Duration, Effect, Option, Redacted, Result, Schema } from "effect"
import { Stripe } from "stripe"
import { instantAt, subtractTime } from "../../../domain/kernel/InstantRange.ts"
import { realNow } from "../../../ports/kernel/AheadClock.ts"
import {
  type NoticeFacts,
  type NoticeObject,
  type NoticePage,
  NoticeRefused,
  type ProcessorNotices,
  type ReceivedNotice
} from "../../../ports/payments/ProcessorNotices.ts"
import { secondsOf } from "./Intents.ts"
import * as Metadata from "./Metadata.ts"
import type { Mode, Modes } from "./Mode.ts"
import { Event, idOf, pageOf } from "./Objects.ts"
import { pageSize } from "./Pages.ts"
import type { StripeApi } from "./StripeApi.ts"

type Named = Event["data"]["object"]

const kindOf = ({ object }: Named): NoticeObject["kind"] => {
  switch (object) {
    case "payment_intent":
    case "charge":
      return "charge"
    case "refund":
    case "dispute":
    case "account":
    case "transfer":
      return object
    // Debits are kept by the authority to debit, and cards by themselves.
    case "mandate":
    case "payment_method":
      return "mandate"
    default:
      return "other"
  }
}

/** Charges, refunds and disputes name their intent, which is what we know a charge by; what is kept names itself. */
const referenceOf = (named: Named): string | null => {
  switch (kindOf(named)) {
    case "charge":
    case "refund":
    case "dispute":
      return named.object === "payment_intent" ? (named.id ?? null) : idOf(named.payment_intent)
    case "account":
    case "mandate":
    case "transfer":
      return named.id ?? null
    case "other":
      return null
  }
}

/** An account that took its permission back is told of by the application that had it. */
const objectOf = ({ account, data: { object }, type }: Event): NoticeObject =>
  type === "account.application.deauthorized"
    ? { kind: "account", reference: account ?? null, charge_id: null }
    : {
        kind: kindOf(object),
        reference: referenceOf(object),
        charge_id: Option.getOrNull(Metadata.chargeOf(object.metadata))
      }

const factsOf = (event: Event): NoticeFacts => ({
  event_id: event.id,
  type: event.type,
  object: objectOf(event),
  account: event.account ?? null,
  created_at: instantAt(event.created * 1_000)
})

/** Whether an event may concern an account: those that do not say are for whoever knows their charge. */
const mayConcern = ({ data: { object } }: Event, integration_id: string): boolean =>
  [integration_id, undefined].includes(Metadata.integrationOf(object.metadata))

/** How far the time of a signature may be from ours, seconds: back, which the package judges, and ahead, which it does not. */
const toleranceSeconds = 300

/** Whether a signature names no time that has yet to come: one that does would be valid until then, and for as long after. */
const isOfNow = (signature: string, now: DateTime.Utc): boolean =>
  signature.split(",").every((part) => {
    const [name, at = ""] = part.split("=")
    return name !== "t" || Number.parseInt(at, 10) <= secondsOf(now) + toleranceSeconds
  })

/** How far back is looked where nothing is known, and where the place is gone, which Stripe drops after 30 days. */
const lookedBack = Duration.days(1)
const keptThere = Duration.days(30)

/** How many pages are looked back at most. */
const pagesAtMost = 1_000

const readEvent = Schema.decodeUnknownResult(Event)

/** The oldest page of the events of a time until now: Stripe lists the newest first. */
const oldestPage = Effect.fnUntraced(function* (api: StripeApi, lasting: Duration.Duration) {
  const gte = secondsOf(subtractTime(yield* realNow, lasting))
  let page = yield* api.call(pageOf(Event), ({ events }) =>
    events.list({ created: { gte }, limit: pageSize } satisfies Stripe.EventListParams)
  )
  for (let count = 1; page.has_more && count < pagesAtMost; count += 1) {
    const starting_after = page.data.at(-1)?.id
    if (starting_after === undefined) break
    page = yield* api.call(pageOf(Event), ({ events }) =>
      events.list({ created: { gte }, limit: pageSize, starting_after } satisfies Stripe.EventListParams)
    )
  }
  return { data: page.data, has_more: true }
})

/** The page that follows an event in time; all that there is where the event is gone, of which Stripe refuses to list more. */
const pageAfter = Effect.fnUntraced(function* (api: StripeApi, ending_before: string) {
  const page = yield* api.find(pageOf(Event), ({ events }) =>
    events.list({ limit: pageSize, ending_before } satisfies Stripe.EventListParams)
  )
  return page ?? (yield* oldestPage(api, keptThere))
})

/** The event of a notice that one of the secrets signed. Two are valid while one is rotated. */
const signed = async (
  body: Uint8Array,
  signature: string,
  secrets: ReadonlyArray<Redacted.Redacted<string>>,
  now: DateTime.Utc
): Promise<unknown> => {
  for (const secret of secrets) {
    try {
      return await Stripe.webhooks.constructEventAsync(
        Buffer.from(body),
        signature,
        Redacted.value(secret),
        toleranceSeconds,
        undefined,
        now.epochMilliseconds
      )
    } catch {
      // Another secret may be the one.
    }
  }
  return undefined
}

const open = ({ headers, body }: ReceivedNotice, secrets: ReadonlyArray<Redacted.Redacted<string>>) => {
  const signature = headers["stripe-signature"]
  if (signature === undefined || secrets.length === 0) return Effect.succeed(undefined)
  return Effect.flatMap(realNow, (now) =>
    isOfNow(signature, now) ? Effect.promise(() => signed(body, signature, secrets, now)) : Effect.succeed(undefined)
  )
}

const platformSecrets = (modes: ReadonlyArray<Mode | undefined>) =>
  modes.flatMap((mode) => mode?.platform.noticeSecrets ?? [])

/** Stripe's notices: their signatures, and the events that they were sent for. */
export const makeNotices = ({ modes, noticeSecretsOf, on }: Modes): ProcessorNotices => ({
  verifyNotice: Effect.fnUntraced(function* (received) {
    // A signature of test mode counts nothing for an account of live mode.
    const secrets = Option.isSome(received.integration)
      ? yield* noticeSecretsOf(received.integration.value)
      : platformSecrets(modes)
    const event = readEvent(yield* open(received, secrets))
    return Result.isSuccess(event) ? factsOf(event.success) : yield* new NoticeRefused()
  }),

  noticesSince: (integration, cursor) =>
    on(integration, ({ api }) =>
      Effect.gen(function* () {
        const page = cursor === null ? yield* oldestPage(api, lookedBack) : yield* pageAfter(api, cursor)
        const events = page.data.toReversed()
        const found: NoticePage = {
          notices: events.filter((event) => mayConcern(event, integration.id)).map(factsOf),
          cursor: events.at(-1)?.id ?? cursor,
          has_more: page.has_more && events.length > 0
        }
        return found
      })
    )
})
