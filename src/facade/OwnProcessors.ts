import { Effect, Predicate, Schema } from "effect"
import { processors as ours, ProcessorName } from "../domain/access/Processor.ts"
import { Limits } from "../domain/kernel/Limits.ts"
import type { OrganisationStore } from "../ports/access/OrganisationStore.ts"
import type { SecretBox } from "../ports/kernel/SecretBox.ts"
import type { PaymentProcessor } from "../ports/payments/PaymentProcessors.ts"
import { InvalidOption } from "./InvalidOption.ts"

/**
 * Payment processors of a host by their names: each the port's implementation, or an effect that makes it, which may ask for
 * organisations, and for the box that opens the credentials of own accounts.
 */
export type OwnProcessors = Readonly<
  Record<string, PaymentProcessor | Effect.Effect<PaymentProcessor, never, OrganisationStore | SecretBox>>
>

type Needed = { readonly [K in keyof PaymentProcessor as undefined extends PaymentProcessor[K] ? never : K]: true }

/** What each processor has. The type holds the list to the port. */
const needed: Needed = {
  capabilities: true,
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

const isName = Schema.is(ProcessorName)

/** The sentence for something that is no processor; undefined for one that is. */
const lackOf = (name: string, value: unknown): string | undefined => {
  const at = `processors.${name}`
  if (!Predicate.isObject(value))
    return `${at} must be an implementation of PaymentProcessor, or an effect that makes it.`
  const missing = Object.keys(needed).find((member) => {
    const given: unknown = Reflect.get(value, member)
    return member === "capabilities" ? !Predicate.isObject(given) : !Predicate.isFunction(given)
  })
  const kind = missing === "capabilities" ? "an object" : "a method"
  return missing === undefined ? undefined : `${at} has no ${missing}, which must be ${kind}.`
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
