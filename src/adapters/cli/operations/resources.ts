import { operations as declared } from "../../../app/Operations.ts"
import { AssignedCode } from "../../../domain/giving/RevenueCode.ts"
import type { CurrentCaller } from "../../../ports/access/CurrentCaller.ts"
import { type CommandOperation, commandsOf, type groups, runAgainst, type UnnamedOperation } from "../Operation.ts"
import { reviewWarning } from "./compliance.ts"
import { pageOf } from "./Parameters.ts"

interface Resource {
  readonly group: keyof typeof groups
  readonly operations: Readonly<Record<string, CommandOperation<CurrentCaller>>>
  /** The columns of the table that its `list` is; another list has all fields of its records. */
  readonly columns: ReadonlyArray<string>
  /** What readers of these operations are warned of. */
  readonly warnings?: Pick<UnnamedOperation, "warnings">
}

/** The fields that are secrets, which a command reads from files, with the flags that name these. */
const secrets = { passphrase: "passphrase-file" }

const { create, deactivate, list, mintLink, read, update, archive } = declared.recommendationSets
const { read: readEvent, list: listEvents } = declared.events

// What is said of codes for disclosures has commands of its own: `compliance.ts`.
const { assign: _, default: _default, defaults: _defaults, ...codes } = declared.revenueCodes

const { export: _export, list: listDisclosures, read: readDisclosure, ...disclosuresOfStaff } = declared.disclosures

/** Staff see the jurisdictions of codes, which the API does not show. */
const revenueCodes = {
  ...codes,
  list: { ...codes.list, output: pageOf(AssignedCode) },
  read: { ...codes.read, output: AssignedCode }
}

/** What has its commands from the operations of the API alone: a flag for each field, and an answer as the API's. */
const resources: ReadonlyArray<Resource> = [
  {
    group: "donor",
    operations: declared.donors,
    columns: ["id", "donor_type", "first_name", "last_name", "organisation_name", "email", "created_at"]
  },
  {
    group: "donation",
    operations: declared.donations,
    columns: ["id", "donor_id", "status", "amount_cents", "currency", "source", "donation_date", "created_at"]
  },
  {
    group: "revenue-code",
    operations: revenueCodes,
    columns: ["id", "code", "namespace", "jurisdiction", "description", "created_at"]
  },
  {
    group: "disclosure",
    operations: { list: listDisclosures, read: readDisclosure },
    columns: ["id", "donor_id", "jurisdiction", "period", "status", "total_cents", "due_at", "cap_level"],
    warnings: reviewWarning
  },
  {
    group: "form",
    operations: declared.forms,
    columns: ["id", "name", "slug", "status", "hosted_page_url", "created_at"]
  },
  {
    group: "checkout-link",
    operations: declared.checkoutLinks,
    columns: ["id", "donor_email", "amount_cents", "currency", "status", "url", "expires_at", "created_at"]
  },
  {
    group: "recommendation-set",
    // What is paid to a set has commands of its own: `payment`.
    operations: { create, list, read, update, deactivate, archive, mintLink },
    columns: ["id", "name", "slug", "is_active", "amount_mode", "total_amount_cents", "created_at"]
  },
  {
    group: "recipient-account",
    operations: declared.recipientAccounts,
    columns: ["id", "label", "recipient_org_slug", "recipient_account_label", "is_active", "created_at"]
  },
  {
    group: "introduction",
    operations: declared.introductions,
    columns: ["id", "status", "invitee_email", "expires_at", "created_at"]
  },
  { group: "event", operations: { list: listEvents, read: readEvent }, columns: ["id", "type", "occurred_at"] }
]

/** The name of a command over an operation of this name: `show`, `mint-link`. */
export const commandOf = (name: string): string =>
  name === "read" ? "show" : name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

const commandsFor = ({ columns, group, operations, warnings = {} }: Resource) =>
  commandsOf(
    group,
    Object.fromEntries(
      Object.entries(operations).map(([name, operation]) => [
        commandOf(name),
        runAgainst(operation, { secrets, ...warnings, ...(name === "list" ? { columns } : {}) })
      ])
    )
  )

export const resourceCommands = resources.flatMap(commandsFor)

/** What staff alone do about disclosures: a flag for each field, too. */
export const disclosureCommandsOfStaff = commandsFor({
  group: "disclosure",
  operations: disclosuresOfStaff,
  columns: [],
  warnings: reviewWarning
})
