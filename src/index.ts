/**
 * Almoner inside a host: `Almoner.open` gives every use case as a method that answers a promise. Importing it starts
 * nothing and loads no server and no database driver. docs/guides/embed.md shows a host; programs written with Effect
 * take `almoner/effect`, the pure records and rules are in `almoner/domain`.
 */

export type { Attempt, Outcome } from "./client/Attempt.ts"
export type * from "./client/generated/Records.ts"
export type { Comparison, Equality, Filter, Id, Page, PageQuery } from "./client/Types.ts"
export type { Caller } from "./domain/access/Caller.ts"
export { IdempotencyConflict } from "./domain/access/Idempotency.ts"
export { GuardRefused, IllegalTransition, InvalidCommand } from "./domain/kernel/Machine.ts"
export * as Rejection from "./domain/kernel/Rejection.ts"
export { NoticeTooLarge } from "./domain/payments/Notice.ts"
export { Almoner } from "./facade/Almoner.ts"
export { AlmonerUnavailable } from "./facade/AlmonerUnavailable.ts"
export type { Application, OpenFailed } from "./facade/Application.ts"
export type { Backend, TransactionClient } from "./facade/Backend.ts"
export type { HostUser } from "./facade/Callers.ts"
export type {
  EventOf,
  HandlerContext,
  SubscribedHandler,
  SubscriptionOptions,
  Subscriptions,
  TransactionalHandling
} from "./facade/Consumers.ts"
export type { Api, CallerApi, KeyedApi, KeyedCallerApi } from "./facade/FaceTypes.ts"
export type * from "./facade/generated/Calls.ts"
export type * from "./facade/generated/Records.ts"
export type {
  AnyEvent,
  Emission,
  EmittedData,
  EventSchema,
  EventSchemas,
  HostEvent,
  NoEvents,
  StoredData
} from "./facade/HostEvents.ts"
export type { HostNotice, NoticeReceipt } from "./facade/Notices.ts"
export { InvalidOption } from "./facade/OpenOptions.ts"
export type { LogLine, Options, StripeAccounts } from "./facade/Options.ts"
export type { ListOptions } from "./facade/Perform.ts"
export type { Within } from "./facade/Within.ts"
export type { Workers } from "./facade/Workers.ts"
export type { MailMessage, MailOutcome } from "./ports/outbox/MailTransport.ts"
export type { WebhookOutcome, WebhookRequest } from "./ports/outbox/WebhookTransport.ts"
export { NoticeRefused } from "./ports/payments/ProcessorNotices.ts"
