import { createHmac, timingSafeEqual } from "node:crypto"
import { Ids } from "almoner/domain"
import {
  type ChargeContext,
  NoticeRefused,
  type PaymentProcessor,
  type ProcessorFailure,
  ProcessorRefused,
  ProcessorUnreachable
} from "almoner/ports"
import { DateTime, Effect, Option } from "effect"
import { type HarbourPay, type Payment, Refusal } from "./HarbourPay.ts"

/** A refusal means that nothing happened; of anything else nobody knows. */
const failureOf = (cause: unknown): ProcessorFailure =>
  cause instanceof Refusal
    ? new ProcessorRefused({ code: cause.code, message: cause.message })
    : new ProcessorUnreachable({ reason: "no_answer" })

const asking = <A>(ask: () => Promise<A>): Effect.Effect<A, ProcessorFailure> =>
  Effect.tryPromise({ try: ask, catch: failureOf })

const shopOf = ({ integration }: ChargeContext): string => integration.processor_connect_account_id

const stateOf = {
  open: "created",
  at_bank: "waiting",
  paid: "succeeded",
  declined: "failed",
  ended: "cancelled"
} as const

const snapshotOf = ({ charge }: ChargeContext, payment: Payment | undefined) => ({
  status: payment === undefined ? ("absent" as const) : stateOf[payment.state],
  reference: payment?.id ?? null,
  amount_cents: payment?.cents ?? charge.amount_cents,
  currency: payment?.currency ?? charge.currency,
  fee_cents: null,
  failure_code: payment?.state === "declined" ? (payment.declined ?? "declined") : null,
  refunds: (payment?.refunds ?? []).map(({ cents, id, metadata }) => ({
    reference: id,
    refund_id: Ids.RefundId.make(metadata),
    amount_cents: cents,
    status: "succeeded" as const
  })),
  disputes: []
})

/** How long after its time a webhook is still believed, seconds. */
const toleranceSeconds = 300

/** A webhook is signed with `harbour-signature: <seconds>,<HMAC of "<seconds>.<body>">`. */
const isSigned = (secret: string, header: string, body: Uint8Array, now: number): boolean => {
  const [seconds = "", mac = ""] = header.split(",")
  const wanted = createHmac("sha256", secret).update(`${seconds}.`).update(body).digest()
  const given = Buffer.from(mac, "hex")
  const isInTime = Math.abs(now / 1_000 - Number(seconds)) <= toleranceSeconds
  return given.length === wanted.length && timingSafeEqual(given, wanted) && isInTime
}

/** A processor over the API of Harbour Pay. Our ids are its metadata, by which it finds what it forgot the key of. */
export const makeProcessor = (service: HarbourPay, secret: string): PaymentProcessor => {
  const find = (charging: ChargeContext) => asking(() => service.find(shopOf(charging), charging.charge.id))

  /** The payment of a charge that was begun. */
  const begun = (charging: ChargeContext) =>
    Effect.flatMap(find(charging), (payment) =>
      payment === undefined ? Effect.fail(failureOf(new Refusal("no_such_payment"))) : Effect.succeed(payment)
    )

  return {
    capabilities: { methods: ["card"], refunds: true, confirms: true, statements: false },

    begin: (charging) =>
      Effect.gen(function* () {
        const { amount_cents: cents, currency, id } = charging.charge
        const known = yield* find(charging)
        const payment =
          known ?? (yield* asking(() => service.create(shopOf(charging), id, { cents, currency, metadata: id })))
        return { reference: payment.id }
      }),

    confirm: (charging, token) =>
      Effect.flatMap(begun(charging), ({ id }) =>
        asking(() => service.pay(shopOf(charging), `pay ${charging.charge.id}`, id, token))
      ),

    cancel: (charging) => Effect.flatMap(begun(charging), ({ id }) => asking(() => service.end(shopOf(charging), id))),

    fetchCharge: (charging) => Effect.map(find(charging), (payment) => snapshotOf(charging, payment)),

    nextStep: (charging) =>
      Effect.map(find(charging), (payment) =>
        payment?.state === "at_bank"
          ? Option.some({ _tag: "Redirect" as const, url: `https://pay.harbour.example/${payment.id}` })
          : Option.none()
      ),

    refund: (charging, { amount_cents: cents, id: metadata }) =>
      Effect.gen(function* () {
        const payment = yield* begun(charging)
        const known = payment.refunds.find((each) => each.metadata === metadata)
        const paid =
          known ?? (yield* asking(() => service.refund(shopOf(charging), metadata, payment.id, { cents, metadata })))
        return { reference: paid.id }
      }),

    fetchAccount: ({ processor_connect_account_id: shop }) =>
      Effect.map(
        asking(() => service.shop(shop)),
        ({ currency, open }) => ({ charges_enabled: open, currency })
      ),

    pageKey: () => Effect.succeedNone,

    verifyNotice: ({ body, headers }) =>
      Effect.gen(function* () {
        const now = yield* DateTime.now
        const isOurs = isSigned(secret, headers["harbour-signature"] ?? "", body, DateTime.toEpochMillis(now))
        if (!isOurs) return yield* new NoticeRefused()
        const { id, payment, type } = JSON.parse(new TextDecoder().decode(body))
        const object = { kind: "charge" as const, reference: payment, charge_id: null }
        return { event_id: id, type, object, account: null, created_at: now }
      }),

    // Harbour Pay lists neither its events nor what moved: its webhooks and the settler are all that there is.
    noticesSince: () => Effect.succeed({ notices: [], cursor: null, has_more: false }),
    listCreated: () => Effect.succeed({ data: [], next: null }),
    movements: () => Effect.succeed({ data: [], next: null })
  }
}
