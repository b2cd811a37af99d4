import { Context, Effect, Layer, Option, Predicate } from "effect"
import { InvalidOption } from "../app/kernel/host/InvalidOption.ts"
import { bindMethods, memberNames } from "../app/kernel/host/MethodBinding.ts"
import { ApiKeyStore } from "../ports/access/ApiKeyStore.ts"
import { AuditStore } from "../ports/access/AuditStore.ts"
import { EmailCodeStore } from "../ports/access/EmailCodeStore.ts"
import { IdempotencyStore } from "../ports/access/IdempotencyStore.ts"
import { IntegrationStore } from "../ports/access/IntegrationStore.ts"
import { LinkedOrganisationStore } from "../ports/access/LinkedOrganisationStore.ts"
import { OrganisationStore } from "../ports/access/OrganisationStore.ts"
import { RateLimiter } from "../ports/access/RateLimiter.ts"
import { SandboxClockStore } from "../ports/access/SandboxClockStore.ts"
import { SealedStore } from "../ports/access/SealedStore.ts"
import { UserStore } from "../ports/access/UserStore.ts"
import { CapStore } from "../ports/compliance/CapStore.ts"
import { DefaultCodeStore } from "../ports/compliance/DefaultCodeStore.ts"
import { DisclosureStore } from "../ports/compliance/DisclosureStore.ts"
import { ElectionStore } from "../ports/compliance/ElectionStore.ts"
import { CheckoutLinkStore } from "../ports/giving/CheckoutLinkStore.ts"
import { ConsentPromptStore } from "../ports/giving/ConsentPromptStore.ts"
import { ContactLogStore } from "../ports/giving/ContactLogStore.ts"
import { DonationFormStore } from "../ports/giving/DonationFormStore.ts"
import { DonationIntake } from "../ports/giving/DonationIntake.ts"
import { DonationStore } from "../ports/giving/DonationStore.ts"
import { DonorStore } from "../ports/giving/DonorStore.ts"
import { GivingSettingsStore } from "../ports/giving/GivingSettingsStore.ts"
import { RefundStore } from "../ports/giving/RefundStore.ts"
import { RevenueCodeStore } from "../ports/giving/RevenueCodeStore.ts"
import { CampaignStore } from "../ports/insight/CampaignStore.ts"
import { ScoreStore } from "../ports/insight/ScoreStore.ts"
import { SegmentStore } from "../ports/insight/SegmentStore.ts"
import { Macs } from "../ports/kernel/Macs.ts"
import { MailOutbox } from "../ports/kernel/MailOutbox.ts"
import { SecretBox } from "../ports/kernel/SecretBox.ts"
import { WebhookSigner } from "../ports/kernel/Signer.ts"
import { Tokens } from "../ports/kernel/Tokens.ts"
import { Transaction } from "../ports/kernel/Transaction.ts"
import type { DeliverySignal } from "../ports/outbox/DeliverySignal.ts"
import { DeliveryStore } from "../ports/outbox/DeliveryStore.ts"
import { EventConsumerStore } from "../ports/outbox/EventConsumerStore.ts"
import { MailTransport } from "../ports/outbox/MailTransport.ts"
import { Outbox } from "../ports/outbox/Outbox.ts"
import { WebhookAddresses } from "../ports/outbox/WebhookAddresses.ts"
import { WebhookEndpointStore } from "../ports/outbox/WebhookEndpointStore.ts"
import { WebhookTransport } from "../ports/outbox/WebhookTransport.ts"
import { YearlySummaryStore } from "../ports/outbox/YearlySummaryStore.ts"
import { CardGuardStore } from "../ports/payments/CardGuardStore.ts"
import { ChargeStore } from "../ports/payments/ChargeStore.ts"
import { CreditStore } from "../ports/payments/CreditStore.ts"
import { DisputeStore } from "../ports/payments/DisputeStore.ts"
import { InvoiceStore } from "../ports/payments/InvoiceStore.ts"
import { LedgerStore } from "../ports/payments/LedgerStore.ts"
import { MandateStore } from "../ports/payments/MandateStore.ts"
import { NoticeStore } from "../ports/payments/NoticeStore.ts"
import { PaymentExceptionStore } from "../ports/payments/PaymentExceptionStore.ts"
import { PaymentProcessors } from "../ports/payments/PaymentProcessors.ts"
import { ReconciliationStore } from "../ports/payments/ReconciliationStore.ts"
import { StatementMarkup } from "../ports/payments/StatementMarkup.ts"
import { SubscriptionStore } from "../ports/payments/SubscriptionStore.ts"
import { TariffStore } from "../ports/payments/TariffStore.ts"
import { TestBank } from "../ports/payments/TestBank.ts"
import { IntroductionStore } from "../ports/sharing/IntroductionStore.ts"
import { PassphraseFailures } from "../ports/sharing/PassphraseFailures.ts"
import { PaymentStore } from "../ports/sharing/PaymentStore.ts"
import { RecipientAccountStore } from "../ports/sharing/RecipientAccountStore.ts"
import { RecommendationSetStore } from "../ports/sharing/RecommendationSetStore.ts"
import { TransferAttemptStore } from "../ports/sharing/TransferAttemptStore.ts"

/** The ports beneath the stores: keys, ids, signatures, and what leads outside. */
const outside = {
  Macs,
  MailTransport,
  RateLimiter,
  SecretBox,
  StatementMarkup,
  Tokens,
  WebhookAddresses,
  WebhookSigner,
  WebhookTransport
}

/** The ports of a backend, without `DeliverySignal`: its own outbox raises that. */
const stored = {
  ApiKeyStore,
  AuditStore,
  CampaignStore,
  CardGuardStore,
  ChargeStore,
  CheckoutLinkStore,
  ConsentPromptStore,
  ContactLogStore,
  DeliveryStore,
  EmailCodeStore,
  CreditStore,
  DisputeStore,
  SubscriptionStore,
  MandateStore,
  InvoiceStore,
  DonationFormStore,
  DonationIntake,
  DonationStore,
  DonorStore,
  GivingSettingsStore,
  EventConsumerStore,
  IdempotencyStore,
  IntegrationStore,
  IntroductionStore,
  LedgerStore,
  LinkedOrganisationStore,
  MailOutbox,
  NoticeStore,
  OrganisationStore,
  Outbox,
  PassphraseFailures,
  PaymentExceptionStore,
  PaymentStore,
  RecipientAccountStore,
  ReconciliationStore,
  RecommendationSetStore,
  RefundStore,
  RevenueCodeStore,
  ScoreStore,
  SandboxClockStore,
  SealedStore,
  DefaultCodeStore,
  CapStore,
  ElectionStore,
  DisclosureStore,
  SegmentStore,
  TariffStore,
  TestBank,
  Transaction,
  TransferAttemptStore,
  UserStore,
  WebhookEndpointStore,
  YearlySummaryStore
}

const above = { PaymentProcessors }

const ports = { ...outside, ...stored, ...above }

type Ports = typeof ports

/** The name of a port that a host may replace, as `almoner/ports` exports it. */
export type PortName = keyof Ports

type Keyed<Name extends PortName> =
  Ports[Name] extends Context.Key<infer Identifier, infer Service>
    ? { readonly identifier: Identifier; readonly service: Service }
    : never

/** Any port that a host may replace. */
export type Port = { readonly [Name in PortName]: Keyed<Name>["identifier"] }[PortName]

type OutsideName = keyof typeof outside
type Beneath = Exclude<OutsideName, "RateLimiter">
type OutsidePort = { readonly [Name in Beneath]: Keyed<Name>["identifier"] }[Beneath]

/** The ports that an adapter may ask for. Those beneath the stores are made first; the rate limiter is `serve`'s. */
type Asked = Port | DeliverySignal
type AskedBy<Name extends PortName> = Name extends OutsideName ? OutsidePort : Exclude<Asked, RateLimiter>

/** Failures to build a host's adapter have a sentence, as everything that `Almoner.open` fails with. */
type Failed = { readonly message: string }

/**
 * Adapters of a host, by the names of their ports: the port's implementation, or a layer of it. A layer may ask for
 * ports, its own included, and gets ours: the one that it takes the place of. Adapters of the ports beneath the stores may
 * ask for each other's ports, those of stores for any.
 */
export type Adapters = {
  readonly [Name in PortName]?:
    | Keyed<Name>["service"]
    | Layer.Layer<Keyed<Name>["identifier"], Failed, AskedBy<Name>>
    | Layer.Layer<Keyed<Name>["identifier"], never, AskedBy<Name>>
    | undefined
}

const isPortName = (name: string): name is PortName => Object.hasOwn(ports, name)

const names = Object.keys(ports).toSorted()

/** The sentence for adapters that cannot be used, undefined where all can. */
export const refusalOf = (adapters: Adapters): string | undefined => {
  for (const [name, adapter] of Object.entries(adapters)) {
    if (!isPortName(name)) return `adapters has no port ${JSON.stringify(name)}. It takes ${names.join(", ")}.`
    if (adapter !== undefined && (typeof adapter !== "object" || adapter === null)) {
      return noImplementation(name)
    }
  }
  return undefined
}

/** The layer of an adapter. What it fails with keeps its sentence. */
const layerOf = (name: PortName, adapter: unknown): Layer.Layer<Port, Failed, Asked> => {
  // The table's value and the adapter are of one port by the type of Adapters; the lookup by name loses that.
  const port = ports[name] as Context.Key<Port, unknown>
  return Layer.isLayer(adapter) ? (adapter as Layer.Layer<Port, Failed, Asked>) : Layer.succeed(port, adapter)
}

const kindOf = (member: unknown): string =>
  Predicate.isFunction(member) ? "a method" : Effect.isEffect(member) ? "an effect" : "a value"

const noMethod = () => undefined

/** The members of the port that nothing of ours has until `serve` is called. */
const ofRateLimiter: Readonly<Record<keyof RateLimiter["Service"], unknown>> = {
  size: {},
  take: noMethod,
  charge: noMethod,
  takeAnonymous: noMethod,
  giveBackAnonymous: noMethod
}

const noImplementation = (name: PortName): string =>
  `adapters.${name} must be an implementation of the port ${name}, or a layer of it.`

/** The sentence for an adapter that lacks something that ours of the port has; undefined where it lacks nothing. */
const lackOf = (name: PortName, ours: object, theirs: unknown): string | undefined => {
  if (!Predicate.isObject(theirs)) return noImplementation(name)
  const wanted = memberNames(ours)
  for (const member of wanted) {
    const kind = kindOf(Reflect.get(ours, member))
    const given: unknown = Reflect.get(theirs, member)
    if (kind === "a value" ? given !== undefined : kindOf(given) === kind) continue
    const unknown = memberNames(theirs).filter((each) => !wanted.includes(each))
    const beside = unknown.length === 0 ? "" : ` It has ${unknown.join(", ")}, which the port has not.`
    return `adapters.${name} has no ${member}, which must be ${kind}.${beside}`
  }
  return undefined
}

/** An adapter that has all that ours has, in whose place it comes, and its methods bound; else opening fails with a sentence. */
const whole = (name: PortName, adapter: Layer.Layer<Port, Failed, Asked>): Layer.Layer<Port, Failed, Asked> => {
  const port = ports[name] as Context.Key<Port, object>
  const known = name === "RateLimiter" ? Option.some<object>(ofRateLimiter) : Option.none()
  return Layer.flatMap(adapter, (built) =>
    Layer.effect(
      port,
      Effect.gen(function* () {
        const ours = Option.orElse(yield* Effect.serviceOption(port), () => known)
        const theirs = Context.get(built, port)
        const lack = Option.isSome(ours) ? lackOf(name, ours.value, theirs) : undefined
        return lack === undefined ? bindMethods(theirs) : yield* Effect.fail(new InvalidOption("adapters", lack))
      })
    )
  )
}

const merged = (among: object, adapters: Adapters): Layer.Layer<Port, Failed, Asked> | undefined => {
  const layers = Object.entries(adapters).flatMap(([name, adapter]) =>
    isPortName(name) && Object.hasOwn(among, name) && adapter !== undefined ? [whole(name, layerOf(name, adapter))] : []
  )
  const [first, ...rest] = layers
  return first === undefined ? undefined : Layer.mergeAll(first, ...rest)
}

/** Puts the adapters of some ports over services that have these ports. */
const over =
  (among: object, adapters: Adapters) =>
  <A, E, R>(below: Layer.Layer<A, E, R>): Layer.Layer<A, E | Failed, R> => {
    const own = merged(among, adapters)
    if (own === undefined) return below
    // Adapters take the place of ports that are there: what the result has does not change.
    return Layer.provideMerge(own, below) as Layer.Layer<A, E | Failed, R>
  }

/** Puts the host's adapters of the ports beneath the stores in the place of ours. */
export const overOutside = (adapters: Adapters) => over(outside, adapters)

/** Puts the host's stores in the place of the backend's. */
export const overStores = (adapters: Adapters) => over(stored, adapters)

/** Puts the host's payment processors in the place of ours. */
export const overProcessors = (adapters: Adapters) => over(above, adapters)

/** Whether nothing is left for encryption keys to do. */
export const needsNoKeys = ({ Macs, SecretBox }: Adapters): boolean => Macs !== undefined && SecretBox !== undefined
