import { Effect, Predicate, Schema } from "effect"
import { processors as ours, ProcessorName } from "../domain/access/Processor.ts"
import { PaymentMethod } from "../domain/giving/DonationKinds.ts"
import { Limits } from "../domain/kernel/Limits.ts"
import type { OrganisationStore } from "../ports/access/OrganisationStore.ts"
import type { SecretBox } from "../ports/kernel/SecretBox.ts"
import type { PaymentProcessor, ProcessorMandates } from "../ports/payments/PaymentProcessors.ts"
import type { ProcessorOnboarding } from "../ports/payments/ProcessorOnboarding.ts"
import type { ProcessorTransfers } from "../ports/payments/ProcessorTransfers.ts"
import { InvalidOption } from "./InvalidOption.ts"

/**
 * Payment processors of a host by their names: each the port's implementation, or an effect that makes it, which may ask for
 * organisations, and for the box that opens the credentials of own accounts.
 */
export type OwnProcessors = Readonly<
  Record<string, PaymentProcessor | Effect.Effect<PaymentProcessor, never, OrganisationStore | SecretBox>>
>

type Names<T> = { readonly [K in keyof T]-?: true }

type Needed = { [K in keyof PaymentProcessor as undefined extends PaymentProcessor[K] ? never : K]: true }

/* The methods of a processor and of its parts. The types hold the lists to the ports. */

const needed: Names<Omit<Needed, "capabilities">> = {
  begin: true,
  confirm: true,
  cancel: true,
  fetchCharge: true,
  nextStep: true,
  refund: true,
  fetchAccount: true,
  pageKey: true,
  verifyNotice: true,
  noticesSince: true,
  listCreated: true,
  movements: true
}

const ofMandates: Names<ProcessorMandates> = { chargeMandate: true, fetchMandate: true, revokeMandate: true }

const parts = {
  onboarding: { openAccount: true, onboard: true } satisfies Names<ProcessorOnboarding>,
  transfers: {
    transfer: true,
    fetchTransfer: true,
    reverse: true,
    fetchReversal: true
  } satisfies Names<ProcessorTransfers>
}

const single: Names<
  Omit<PaymentProcessor, keyof Needed | keyof ProcessorMandates | keyof typeof parts | "capabilities">
> = { checkCredentials: true, registerDomain: true, walletOf: true }

const known = ["capabilities", ...[needed, ofMandates, parts, single].flatMap((names) => Object.keys(names))]

const isCapabilities = Schema.is(
  Schema.Struct({
    methods: Schema.Array(PaymentMethod),
    maximum_cents: Schema.optional(Schema.Int),
    minimum_cents: Schema.optional(Schema.Record(Schema.String, Schema.Int)),
    refunds: Schema.Boolean,
    confirms: Schema.Boolean,
    statements: Schema.Boolean
  })
)

const lackAmong = (at: string, part: unknown, methods: ReadonlyArray<string>): string | undefined => {
  const missing = methods.find((name) => !Predicate.isFunction(Reflect.get(Object(part), name)))
  return missing === undefined ? undefined : `${at} has no ${missing}, which must be a method.`
}

const isName = Schema.is(ProcessorName)

/** The sentence for something that is no processor; undefined for one that is. */
const lackOf = (name: string, value: unknown): string | undefined => {
  const at = `processors.${name}`
  if (!Predicate.isObject(value))
    return `${at} must be an implementation of PaymentProcessor, or an effect that makes it.`
  if (!isCapabilities(value["capabilities"]))
    return `${at} has no capabilities, which must be an object with methods, refunds, confirms and statements.`
  const present = (names: object) => Object.keys(names).filter((each) => value[each] !== undefined)
  const mandates = present(ofMandates).length > 0 ? Object.keys(ofMandates) : []
  const lack = lackAmong(at, value, [...Object.keys(needed), ...mandates, ...present(single)])
  if (lack !== undefined) return lack
  for (const [part, names] of Object.entries(parts)) {
    const lacking = value[part] === undefined ? undefined : lackAmong(`${at}.${part}`, value[part], Object.keys(names))
    if (lacking !== undefined) return lacking
  }
  // A class may have members that help it; in a plain object another name is a slip of the hand.
  const isPlain = [Object.prototype, null].includes(Object.getPrototypeOf(value))
  const unknown = isPlain ? Object.keys(value).find((each) => !known.includes(each)) : undefined
  return unknown === undefined
    ? undefined
    : `${at} has ${unknown}, which the port has not. It takes ${known.join(", ")}.`
}

/** The sentence for names that processors cannot have; undefined where all can. */
export const processorFault = (own: object): string | undefined => {
  for (const name of Object.keys(own)) {
    if (!isName(name)) {
      return `processors has no name for ${JSON.stringify(name)}: it must be a letter from a to z, then such letters, digits and _, of ${Limits.processorNameCharacters} characters at most.`
    }
    if (ours.some((each) => each === name)) {
      return `processors must not have ${name}, which comes with Almoner: give yours another name.`
    }
  }
  return undefined
}

/** How each is made; {@link InvalidOption} where what was made is none. */
export const builtFrom = (own: OwnProcessors = {}) =>
  Object.fromEntries(
    Object.entries(own).map(([name, value]) => [
      name,
      Effect.flatMap(Effect.isEffect(value) ? value : Effect.succeed(value), (made) => {
        const lack = lackOf(name, made)
        return lack === undefined ? Effect.succeed(made) : Effect.fail(new InvalidOption("processors", lack))
      })
    ])
  )
