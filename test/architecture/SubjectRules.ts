import type { Violation } from "./ImportRules.ts"
import { imports, lineAt, resolve, type SourceFile } from "./Syntax.ts"

/**
 * The files of each subject of `app` that other subjects may import, and so may adapters, the face and the test kit. All
 * others are inner files: those of the same subject import them, the use cases of their context, and what puts the use
 * cases together. docs/architecture.md.
 */
export const publicFiles: Readonly<Record<string, ReadonlyArray<string>>> = {
  "access/caller": ["CallerCheck", "CallerContext", "PresentCaller"],
  "access/change": ["Change"],
  "access/idempotency": ["IdempotentRequests"],
  "access/key": ["KeyCache"],
  "access/mail": ["AdminMails"],
  "access/operation": ["ListParameters", "Operation", "OperationRow", "RecordReads", "ServiceChecks"],
  "compliance/disclosure": ["DutyReminders"],
  "giving/donation": ["ManualGift"],
  "giving/donor": ["DonorLookup", "DonorTokens", "MergedDonor"],
  "giving/form": ["FreeSlug"],
  "giving/link": ["CheckoutLinkChange"],
  "kernel/decoding": ["Decoder", "Finding"],
  "kernel/host": ["InvalidOption", "MethodBinding"],
  "kernel/reaction": ["Attributions", "ProgramContext", "Reactions"],
  "kernel/service": ["Service"],
  "kernel/store": ["CommitResult", "RecordChecks", "StoreOutage"],
  "kernel/time": ["BatchPace", "Monotonic", "StoreClock"],
  "kernel/worker": ["ClaimLoop"],
  "outbox/delivery": ["DeliveryLease", "LeaseTakeover", "WebhookSender"],
  "outbox/endpoint": ["FailingEndpoints"],
  "outbox/summary": ["SummaryWriter"],
  "outbox/sweep": ["Expiry"],
  "payments/account": ["PaymentAccounts"],
  "payments/charge": [
    "ChargeCancellation",
    "ChargeCreation",
    "ChargeLoader",
    "ChargeSync",
    "ChargeWriter",
    "TestChargeMove"
  ],
  "payments/exception": ["ExceptionReporter"],
  "payments/ledger": ["LedgerWriter"],
  "payments/notice": ["NoticeReceiver"],
  "payments/subscription": ["RenewalGifts", "SubscriptionOutcome", "SubscriptionSetup"],
  "sharing/checkout": ["CheckoutProgress"],
  "sharing/introduction": ["IntroductionChange", "InviteUrls"],
  "sharing/payment": ["PaymentCreation", "RecipientGifts"],
  "sharing/refund": ["ReturnedMoney"],
  "sharing/transfer": ["Distribution", "TransferCheck"]
}

interface SubjectFile {
  readonly context: string
  readonly subject: string
  readonly name: string
}

const subjectFileOf = (path: string): SubjectFile | null => {
  const [, context = "", subject = "", name = ""] = /^src\/app\/(\w+)\/(\w+)\/(\w+)\.ts$/.exec(path) ?? []
  return context === "" || subject === "operations" ? null : { context, subject: `${context}/${subject}`, name }
}

/** Whether a file is of the same subject, a use case of the subject's context, or puts use cases together. */
const isWithin = (path: string, { context, subject }: SubjectFile): boolean =>
  path.startsWith(`src/app/${subject}/`) ||
  /^src\/app\/(?:(\w+)\/)?\w+\.ts$/
    .exec(path)
    ?.slice(1)
    .every((each) => each === undefined || each === context) === true

interface Use {
  readonly file: SourceFile
  readonly start: number
  readonly target: SubjectFile
}

const usesFromOutside = (file: SourceFile): ReadonlyArray<Use> =>
  imports(file).flatMap(({ specifier, start }) => {
    const path = specifier === null ? null : resolve(file.path, specifier)
    const target = path === null ? null : subjectFileOf(path)
    return target === null || isWithin(file.path, target) ? [] : [{ file, start, target }]
  })

/** A subject's inner files are imported within it, and whatever the table calls public is imported from elsewhere. */
export const subjectRooms = (files: ReadonlyArray<SourceFile>): ReadonlyArray<Violation> => {
  const uses = files.filter(({ path }) => /^src\/.*\.ts$/.test(path)).flatMap(usesFromOutside)
  return uses
    .filter(({ target: { name, subject } }) => publicFiles[subject]?.includes(name) !== true)
    .map(({ file, start, target: { name, subject } }) => ({
      path: file.path,
      line: lineAt(file.text, start),
      found: `${name} is an inner file of ${subject}`
    }))
}

/** The public files that nothing outside their subject imports: they are inner ones. */
export const unusedPublicFiles = (files: ReadonlyArray<SourceFile>): ReadonlyArray<string> => {
  const used = new Set(files.flatMap(usesFromOutside).map(({ target: { name, subject } }) => `${subject}/${name}`))
  return Object.entries(publicFiles)
    .flatMap(([subject, names]) => names.map((name) => `${subject}/${name}`))
    .filter((name) => !used.has(name))
}
