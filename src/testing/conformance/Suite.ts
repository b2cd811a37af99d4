import { assert, type Vitest } from "@effect/vitest"
import { type Context, DateTime, Effect, type Layer, Option, Predicate } from "effect"
import fc from "fast-check"
import type { DonorId, OrganisationId } from "../../domain/Ids.ts"
import type { ApiKeyStore } from "../../ports/ApiKeyStore.ts"
import type { AuditStore } from "../../ports/AuditStore.ts"
import type { DeliverySignal } from "../../ports/DeliverySignal.ts"
import type { DeliveryStore } from "../../ports/DeliveryStore.ts"
import type { DonationIntake } from "../../ports/DonationIntake.ts"
import type { DonationStore } from "../../ports/DonationStore.ts"
import type { DonorStore } from "../../ports/DonorStore.ts"
import type { IdempotencyStore } from "../../ports/IdempotencyStore.ts"
import type { OrganisationStore } from "../../ports/OrganisationStore.ts"
import type { Outbox } from "../../ports/Outbox.ts"
import type { RevenueCodeStore } from "../../ports/RevenueCodeStore.ts"
import type { Transaction } from "../../ports/Transaction.ts"
import type { WebhookEndpointStore } from "../../ports/WebhookEndpointStore.ts"

/** The ports that the suite covers. */
export type Stores =
  | Transaction
  | OrganisationStore
  | ApiKeyStore
  | DonorStore
  | DonationStore
  | DonationIntake
  | RevenueCodeStore
  | WebhookEndpointStore
  | Outbox
  | DeliveryStore
  | DeliverySignal
  | IdempotencyStore
  | AuditStore

/** The stores under test. */
export interface Subject<R, E> {
  /** Makes them, empty, once for the whole suite: the tests keep apart by organisations of their own. */
  readonly layer: Layer.Layer<Stores | R, E>
  /** Makes a segment of an organisation with these members: no port does, so far. */
  readonly putSegment: (
    organisation_id: OrganisationId,
    slug: string,
    members: ReadonlyArray<DonorId>
  ) => Effect.Effect<void, never, Stores | R>
  /** Whether a transaction waits for the end of another that has begun. What needs two at once is then left out. */
  readonly serial: boolean
  /** Cases of each property; 20 when not given. */
  readonly runs?: number
}

/** What registers tests. */
export type It<R> = Vitest.MethodsNonLive<Stores | R>

/** Cases of each property when the subject does not say. */
export const runsOf = (subject: { readonly runs?: number }): number => subject.runs ?? 20

/** Checks an effectful property, with the services at hand. A falsified one fails the test with its smallest case. */
export const check = <A, E, R>(
  runs: number,
  arbitrary: fc.Arbitrary<A>,
  property: (value: A) => Effect.Effect<void, E, R>
): Effect.Effect<void, never, R> =>
  Effect.contextWith((context: Context.Context<R>) => {
    const run = Effect.runPromiseWith(context)
    return Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(arbitrary, (value) => run(property(value))),
        { numRuns: runs }
      )
    )
  })

/** The value with instants as text, options as lists and bytes as numbers: equal when it means the same. */
export const plain = (value: unknown): unknown => {
  if (DateTime.isDateTime(value)) return DateTime.formatIso(value)
  if (Option.isOption(value)) return Option.toArray(value).map(plain)
  if (value instanceof Uint8Array || Array.isArray(value)) return Array.from(value, plain)
  if (!Predicate.isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([field, each]) => [field, plain(each)]))
}

/** Asserts that two values mean the same, field by field. */
export const same = <A>(actual: A, expected: NoInfer<A>, message?: string): void =>
  assert.deepStrictEqual(plain(actual), plain(expected), message)

/** Asserts that there is no such record. */
export const none = (actual: Option.Option<unknown>): void => assert.isTrue(Option.isNone(actual), "a record was found")

/** Asserts that the effect is refused with these facts. */
export const refused = <A, E extends object, R>(
  effect: Effect.Effect<A, E, R>,
  facts: Readonly<Record<string, string>>
): Effect.Effect<void, A, R> =>
  Effect.map(Effect.flip(effect), (failure) => {
    const known = new Map(Object.entries(failure))
    for (const [field, value] of Object.entries(facts)) assert.strictEqual(known.get(field), value, field)
  })

/** Ends a wait that would never end: only a broken promise gets there. */
export const unblocked = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.timeoutOrElse(effect, {
    duration: "10 seconds",
    orElse: () => Effect.die(new Error("One waits for the other, and the other for it."))
  })
