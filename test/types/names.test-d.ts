import { expectTypeOf } from "vitest"
import type { Code } from "../../src/adapters/http/pipeline/ErrorEnvelope.ts"
import type { Operation, RefusalOf } from "../../src/app/access/operation/Operation.ts"
import type { operations } from "../../src/app/Operations.ts"
import type { Endpoint, GroupName, OperationName, Payload, Success } from "../../src/client/DeclaredTypes.ts"
import type { Wire } from "../../src/client/Wire.ts"
import type * as client from "../../src/client.ts"
import type { Attempt, Calls, Client, WebhookEvent } from "../../src/client.ts"
import type { MalformedInput } from "../../src/domain/kernel/Rejection.ts"
import type { EventData, EventType } from "../../src/domain/outbox/Event.ts"
import type { Calls as FaceCalls } from "../../src/facade/generated/Calls.ts"
import type { Args } from "../../src/facade/Perform.ts"
import type {
  Almoner,
  AlmonerUnavailable,
  Caller,
  Donation,
  DonationId,
  Donor,
  DonorId,
  DonorPatch,
  DonorQuery,
  ErrorCode,
  Event,
  NewDonation,
  NewDonor,
  Page
} from "../../src/index.ts"

/* The printed types are those of the declarations: nothing was left out, and nothing is wider or narrower. */

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false

type Needed<T> = { [K in keyof T]-?: Record<never, never> extends Pick<T, K> ? never : K }[keyof T]

/** Whether a printed input takes what is declared, with the same fields, of which the same must be given. */
type Takes<Printed, Declared> = [Declared] extends [Printed]
  ? Declared extends object
    ? Same<[keyof Printed, Needed<Printed>], [keyof Declared, Needed<Declared>]>
    : true
  : false

type CamelCase<Name extends string> = Name extends `${infer Head}-${infer Rest}`
  ? `${Head}${Capitalize<CamelCase<Rest>>}`
  : Name

type Call<G extends GroupName, N extends OperationName<G>> =
  CamelCase<G> extends keyof Calls ? (N extends keyof Calls[CamelCase<G>] ? Calls[CamelCase<G>][N] : never) : never

type Answer<F> = F extends (...args: never) => Attempt<infer A, infer _E, infer _B> ? A : never

type WrongAnswers = {
  [G in GroupName]: {
    [N in OperationName<G>]: Same<Answer<Call<G, N>>, Success<Endpoint<G, N>>> extends true ? never : `${G}.${N}`
  }[OperationName<G>]
}[GroupName]

type BodyOf<F> = F extends (...args: infer A) => unknown
  ? { [K in keyof A]: A[K] extends string | undefined ? never : A[K] }[number]
  : never

type WrongBodies = {
  [G in GroupName]: {
    [N in OperationName<G>]: [Payload<Endpoint<G, N>>] extends [never]
      ? never
      : Payload<Endpoint<G, N>> extends BodyOf<Call<G, N>>
        ? never
        : `${G}.${N}`
  }[OperationName<G>]
}[GroupName]

expectTypeOf<WrongAnswers>().toBeNever()
expectTypeOf<WrongBodies>().toBeNever()
expectTypeOf<CamelCase<GroupName>>().toEqualTypeOf<keyof Calls>()

type Groups = typeof operations

type Declared<O> =
  O extends Operation<infer A, infer _K, infer T, infer G, infer E, infer _R>
    ? {
        readonly takes: A extends null ? Args<T> : [caller: Caller, ...Args<T>]
        readonly gives: Wire<G["Type"]>
        readonly fails: E | RefusalOf<T> | (A extends null ? never : MalformedInput) | AlmonerUnavailable
      }
    : never

type Method<G, N> = G extends keyof FaceCalls ? (N extends keyof FaceCalls[G] ? FaceCalls[G][N] : never) : never

type Failing<F> = F extends (...args: never) => Attempt<infer _A, infer E> ? E : "nothing"

type TakenBy<F> = F extends (...args: infer A) => unknown ? A : "nothing"

type WrongGives = {
  [G in keyof Groups]: {
    [N in keyof Groups[G]]: Same<Answer<Method<G, N>>, Declared<Groups[G][N]>["gives"]> extends true
      ? never
      : `${G & string}.${N & string}`
  }[keyof Groups[G]]
}[keyof Groups]

type WrongTakes = {
  [G in keyof Groups]: {
    [N in keyof Groups[G]]: [Declared<Groups[G][N]>["takes"]] extends [TakenBy<Method<G, N>>]
      ? never
      : `${G & string}.${N & string}`
  }[keyof Groups[G]]
}[keyof Groups]

type WrongFailures = {
  [G in keyof Groups]: {
    [N in keyof Groups[G]]: Same<Failing<Method<G, N>>, Declared<Groups[G][N]>["fails"]> extends true
      ? never
      : `${G & string}.${N & string}`
  }[keyof Groups[G]]
}[keyof Groups]

expectTypeOf<WrongGives>().toBeNever()
expectTypeOf<WrongFailures>().toBeNever()
// What is printed of these is narrower: their declarations list their values, and lose them in their types.
expectTypeOf<WrongTakes>().toEqualTypeOf<"introductions.list" | "webhookDeliveries.replaySince">()
expectTypeOf<Takes<NewDonation, Parameters<FaceCalls["donations"]["create"]>[1]>>().toEqualTypeOf<true>()
expectTypeOf<ErrorCode>().toEqualTypeOf<Code>()
expectTypeOf<WebhookEvent["type"]>().toEqualTypeOf<EventType>()

type WrongEvents = {
  [T in EventType]: Same<Extract<Event, { readonly type: T }>["data"], Wire<EventData<T>>> extends true ? never : T
}[EventType]

expectTypeOf<WrongEvents>().toBeNever()

/* Hosts write functions over named records, and one name is one type in the host and over HTTP. */

declare const almoner: Almoner
declare const caller: Caller
declare const api: Client
declare const donor: Donor
declare const donation: Donation

export const nameOf = (each: Donor): string => each.last_name ?? each.id
export const thankYou = (input: NewDonor): NewDonor => ({ ...input, do_not_contact: false })
export const change: DonorPatch = { email: undefined, phone: null }
export const askedNames: DonorQuery = {
  created_at: { gte: new Date(0) },
  donor_type: { in: ["TRUST"] },
  search: undefined
}

expectTypeOf(almoner.donors.read(caller, donor.id)).resolves.toEqualTypeOf<Donor>()
expectTypeOf(almoner.as(caller).donors.list(askedNames)).resolves.toEqualTypeOf<Page<Donor>>()
expectTypeOf(api.donors.read(donor.id)).resolves.toEqualTypeOf<Donor>()
expectTypeOf<client.Donor>().toEqualTypeOf<Donor>()
expectTypeOf<client.NewDonation>().toEqualTypeOf<NewDonation>()

/* An id is made by `create` and taken by `read`. A plain string will do; the id of something else will not. */

expectTypeOf(donor.id).toEqualTypeOf<DonorId>()
expectTypeOf<DonorId>().toExtend<string>()
expectTypeOf<string>().toExtend<DonorId>()
expectTypeOf<DonationId>().not.toExtend<DonorId>()

almoner.donors.read(caller, "dnr_01jqz6x8h4e5vb9m2k7ncw3t5d")
almoner.donors.read(caller, `dnr_${donor.id.length}`)
api.donors.read(String(donor.id))

// @ts-expect-error the id of a gift where a donor's is asked for
almoner.donors.read(caller, donation.id)

// @ts-expect-error the same over HTTP
api.donors.read(donation.id)

// @ts-expect-error the same within an input
almoner.donations.create(caller, { ...({} as NewDonation), donor_id: donation.id })

// @ts-expect-error the same in a list
almoner.donations.list(caller, { donor_id: donation.id })

/* What may be left out may be undefined, and an instant may be a Date. */

export const link: client.NewCheckoutLink = { ...({} as client.NewCheckoutLink), expires_at: new Date(0) }

// @ts-expect-error a value of another type
export const wrong: NewDonor = { first_name: 1 }
