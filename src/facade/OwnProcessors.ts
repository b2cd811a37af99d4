import { Effect, Predicate, Schema } from "effect"
import { InvalidOption } from "../app/kernel/host/InvalidOption.ts"
import { memberNames } from "../app/kernel/host/MethodBinding.ts"
import { processors as ours, ProcessorName } from "../domain/access/Processor.ts"
import { PaymentMethod } from "../domain/giving/DonationKinds.ts"
import { Limits } from "../domain/kernel/Limits.ts"
import type { OrganisationStore } from "../ports/access/OrganisationStore.ts"
import type { SecretBox } from "../ports/kernel/SecretBox.ts"
import type { PaymentProcessor, ProcessorMandates } from "../ports/payments/PaymentProcessors.ts"
import type { ProcessorOnboarding } from "../ports/payments/ProcessorOnboarding.ts"
import type { ProcessorTransfers } from "../ports/payments/ProcessorTransfers.ts"

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

/** The members that a processor may be without: methods, and parts, which are objects. */
const optional = Object.keys({ ...ofMandates, ...parts, ...single })

const known = ["capabilities", ...[needed, ofMandates, parts, single].flatMap((names) => Object.keys(names))]

const Bounds = Schema.Struct({
  maximum_cents: Schema.optional(Schema.Int),
  minimum_cents: Schema.optional(Schema.Record(Schema.String, Schema.Int))
})

const Capabilities = Schema.Struct({
  methods: Schema.Array(PaymentMethod),
  bounds: Schema.optional(Schema.Record(Schema.String, Bounds)),
  refunds: Schema.Boolean,
  confirms: Schema.Boolean,
  statements: Schema.Boolean
})

const hasCapabilities = Schema.is(Schema.Struct({ capabilities: Capabilities }))
const capabilityNames = Object.keys(Capabilities.fields)

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
  if (!hasCapabilities(value))
    return `${at} has no capabilities, which must be an object with methods, refunds, confirms and statements.`
  const present = (names: object) => Object.keys(names).filter((each) => value[each] !== undefined)
  const mandates = present(ofMandates).length > 0 ? Object.keys(ofMandates) : []
  const lack = lackAmong(at, value, [...Object.keys(needed), ...mandates, ...present(single)])
  if (lack !== undefined) return lack
  for (const [part, names] of Object.entries(parts)) {
    const lacking = value[part] === undefined ? undefined : lackAmong(`${at}.${part}`, value[part], Object.keys(names))
    if (lacking !== undefined) return lacking
  }
  const { capabilities } = value
  return (
    unknownIn(`${at}.capabilities`, capabilities, capabilityNames) ??
    unknownIn(`${at}.capabilities.bounds`, capabilities.bounds ?? {}, PaymentMethod.literals) ??
    slipOf(at, value)
  )
}

/** The sentence for a name that a plain object must not have. */
const unknownIn = (at: string, value: object, names: ReadonlyArray<string>): string | undefined => {
  const unknown = Object.keys(value).find((each) => !names.includes(each))
  return unknown === undefined
    ? undefined
    : `${at} has ${unknown}, which the port has not. It takes ${names.join(", ")}.`
}

/** How many characters are added, left out or replaced between two names. */
const editsBetween = (from: string, to: string): number => {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1]
    for (const [at, other] of [...to].entries()) {
      const replaced = (row[at] ?? 0) + (letter === other ? 0 : 1)
      next.push(Math.min(replaced, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}

/** A fifth of a name may be a slip of the hand: one character of `walletOf`, three of `checkCredentials`. */
const isSlip = (given: string, name: string): boolean => editsBetween(given, name) <= Math.floor(name.length / 5)

/** What a name stands for, without a getter's being asked. */
const memberOf = (value: object, name: string): unknown => {
  for (let at: object | null = value; at !== null; at = Object.getPrototypeOf(at)) {
    const found = Object.getOwnPropertyDescriptor(at, name)
    if (found !== undefined) return found.value
  }
  return undefined
}

/**
 * The sentence for a name that may be meant for an optional member. In a plain object any unknown name is; a class may have
 * members that help it, so there it is one that is like the name of a member that is missing, and of its kind.
 */
const slipOf = (at: string, value: object): string | undefined => {
  if ([Object.prototype, null].includes(Object.getPrototypeOf(value))) return unknownIn(at, value, known)
  const missing = optional.filter((name) => !(name in value))
  for (const given of memberNames(value)) {
    const member = memberOf(value, given)
    const isOfKind = (name: string) => (name in parts ? Predicate.isObject(member) : Predicate.isFunction(member))
    const meant = known.includes(given) ? undefined : missing.find((name) => isOfKind(name) && isSlip(given, name))
    if (meant !== undefined) {
      return `${at} has ${given}, which the port has not, and no ${meant}: write ${meant}, or give a helper of yours a name that is less like it.`
    }
  }
  return undefined
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
