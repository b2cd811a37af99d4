import { CalendarDate, type Caller } from "almoner/domain"
import { Almoner, CurrentCaller, Dispatcher, Donations, Donors, Organisations, WebhookEndpoints } from "almoner/effect"
import { memory } from "almoner/memory"
import { type WebhookOutcome, WebhookTransport } from "almoner/ports"
import { Effect, Layer } from "effect"

const queue: Array<string> = []

const taken: WebhookOutcome = {
  response_status: 202,
  response_excerpt: null,
  retry_after: null,
  error: null,
  duration_ms: 0
}

/** A port of one's own: deliveries go, signed, to a queue of the host's in place of the network. */
const QueueTransport = Layer.succeed(WebhookTransport, {
  post: ({ body }) =>
    Effect.sync(() => {
      const event: { readonly type: string } = JSON.parse(body)
      queue.push(event.type)
      return taken
    })
})

const app = Almoner.layer({
  backend: memory(),
  webhookTransport: QueueTransport,
  operatorCidrs: ["127.0.0.0/8"]
})

const give = Effect.gen(function* () {
  const donors = yield* Donors.Donors
  const donations = yield* Donations.Donations
  const endpoints = yield* WebhookEndpoints.WebhookEndpoints
  yield* endpoints.create({ url: "http://127.0.0.1/queue", event_types: ["donation.created", "donation.succeeded"] })
  const donor = yield* donors.create({ first_name: "Mary" })
  return yield* donations.create({
    donor_id: donor.id,
    amount_cents: 5_000,
    donation_type: "MONETARY",
    donation_date: CalendarDate.CalendarDate.make("2025-06-30")
  })
})

const program = Effect.gen(function* () {
  const organisations = yield* Organisations.Organisations
  const operator = { actor: { type: "SYSTEM", id: "example" }, request_id: "req_1" } as const
  const { sandbox } = yield* organisations.create(
    {
      slug: "riverside",
      name: "Riverside Shelter",
      timezone: "Australia/Sydney",
      default_currency: "AUD",
      plan: "GROW",
      sandbox_webhook_cidrs: []
    },
    operator
  )
  const ada: Caller.Caller = {
    organisation: sandbox,
    actor: { type: "USER", id: "ada" },
    scope: "WRITE",
    request_id: "req_2"
  }
  yield* give.pipe(Effect.provideService(CurrentCaller, ada))
  yield* Dispatcher.Dispatcher.use((dispatcher) => dispatcher.deliverDue)
  yield* Effect.sync(() => console.log(`delivered ${queue.toSorted().join(", ")}`))
})

await Effect.runPromise(program.pipe(Effect.provide(app)))
