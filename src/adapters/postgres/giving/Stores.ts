import { Effect, Layer, Option, Schema } from "effect"
import { CheckoutLink, ranOut } from "../../../domain/giving/CheckoutLink.ts"
import { ConsentPrompt } from "../../../domain/giving/ConsentPrompt.ts"
import { ContactLog, derivedColumns, undeletedRule as undeletedLogRule } from "../../../domain/giving/ContactLog.ts"
import { Donation, undeletedRule } from "../../../domain/giving/Donation.ts"
import { DonationForm } from "../../../domain/giving/DonationForm.ts"
import { GivingSettings, initial, type Logo } from "../../../domain/giving/GivingSettings.ts"
import { Refund } from "../../../domain/giving/Refund.ts"
import { codeKey, type Namespace, RevenueCode } from "../../../domain/giving/RevenueCode.ts"
import * as Rule from "../../../domain/kernel/Rule.ts"
import { CheckoutLinkStore } from "../../../ports/giving/CheckoutLinkStore.ts"
import { ConsentPromptStore } from "../../../ports/giving/ConsentPromptStore.ts"
import { ContactLogStore } from "../../../ports/giving/ContactLogStore.ts"
import { DonationFormStore } from "../../../ports/giving/DonationFormStore.ts"
import { DonationStore } from "../../../ports/giving/DonationStore.ts"
import { GivingSettingsStore } from "../../../ports/giving/GivingSettingsStore.ts"
import { RefundStore } from "../../../ports/giving/RefundStore.ts"
import { RevenueCodeStore } from "../../../ports/giving/RevenueCodeStore.ts"
import { Transaction } from "../../../ports/kernel/Transaction.ts"
import { readBeside } from "../connection/DeferredTransaction.ts"
import { findBy, insertRecord, makeRecords, readOrDie, runOrDie, storeFrom, storeOf } from "../records/Records.ts"
import { rowsOf } from "../records/Rows.ts"
import { makeExpirable } from "../records/StoreTime.ts"
import { makeUniqueRecords } from "../records/UniqueRecords.ts"
import { makeDonorReferences } from "./DonorReferences.ts"

/**
 * The present spelling of the revenue code that a row is booked under. The row's own text has the spelling at the time
 * of writing; it is shown where the organisation has no such code.
 */
const bookedUnder = {
  revenue_code: {
    select: (alias: string): string =>
      `coalesce((SELECT c.code FROM revenue_codes AS c
         WHERE c.organisation_id = ${alias}.organisation_id AND c.id = ${alias}.revenue_code_id), ${alias}.revenue_code)`
  }
}

const linkRows = rowsOf(CheckoutLink, bookedUnder)
const linkTable = "checkout_links"

const checkoutLinkStore = storeOf(CheckoutLinkStore, (sql) => ({
  ...makeRecords(sql, { rows: linkRows, table: linkTable, archivable: true }),
  ...makeDonorReferences(sql, linkTable),
  find: (organisation_id, id) =>
    linkRows.first(
      readBeside(sql`
            SELECT ${sql.literal(linkRows.columns("t"))} FROM checkout_links AS t
            WHERE t.organisation_id = ${organisation_id} AND t.id = ${id}`)
    ),
  expirable: makeExpirable(sql, linkTable, ranOut)
}))

const promptRows = rowsOf(ConsentPrompt)

const consentPromptStore = storeOf(ConsentPromptStore, (sql) => ({
  ...makeRecords(sql, {
    rows: promptRows,
    table: "consent_prompts",
    archivable: true
  }),
  asked: (organisation_id) =>
    promptRows.all(sql`
          SELECT ${sql.literal(promptRows.columns("t"))} FROM consent_prompts AS t
          WHERE t.organisation_id = ${organisation_id} AND t.archived_at IS NULL
          ORDER BY t.position, t.created_at, t.id`)
}))

const logTable = "contact_logs"

const contactLogStore = storeOf(ContactLogStore, (sql) => {
  const records = makeRecords(sql, {
    rows: rowsOf(ContactLog),
    table: logTable,
    hiddenBy: undeletedLogRule.column,
    toRecord: (log) => ({ ...log, ...derivedColumns(log) })
  })
  return {
    ...records,
    ...makeDonorReferences(sql, logTable),
    find: (organisation_id, id) =>
      Effect.map(
        records.find(organisation_id, id),
        Option.filter((log) => Rule.holds(undeletedLogRule, log))
      )
  }
})

const donationFormStore = storeFrom(DonationFormStore, function* (sql) {
  const records = makeUniqueRecords(sql, yield* Transaction, {
    rows: rowsOf(DonationForm, bookedUnder),
    table: "donation_forms",
    archivable: true,
    unique: { columns: ["slug"], constraint: "donation_forms_slug", record: "donation form", field: "slug" }
  })
  return {
    ...records,
    takenSlugs: (organisation_id, slugs) =>
      Effect.orDie(sql<{ readonly slug: string }>`
        SELECT t.slug FROM donation_forms AS t
        WHERE t.organisation_id = ${organisation_id} AND t.slug = ANY(${[...slugs]}::text[])`).pipe(
        Effect.map((rows) => rows.map(({ slug }) => slug))
      )
  }
})

const donationTable = "donations"

export const donationRows = rowsOf(Donation, {
  ...bookedUnder,
  consent_responses: { read: Schema.decodeUnknownSync(Schema.toCodecJson(Donation.fields.consent_responses)) },
  submitted_donor: { read: Schema.decodeUnknownSync(Schema.toCodecJson(Donation.fields.submitted_donor)) }
})

const donationStore = storeOf(DonationStore, (sql) => ({
  ...makeRecords(sql, {
    rows: donationRows,
    table: donationTable,
    hiddenBy: undeletedRule.column,
    constants: { donation_type: ["MONETARY", "IN_KIND"] },
    days: { donation_date: "donation_day", received_date: "received_day" }
  }),
  ...makeDonorReferences(sql, donationTable)
}))

const refunds = { rows: rowsOf(Refund), table: "refunds" }

const refundStore = storeOf(RefundStore, (sql) => ({
  ...makeRecords(sql, refunds),
  ofDonation: findBy(sql, refunds, "donation_id"),
  ofCharge: findBy(sql, refunds, "charge_id")
}))

const codeRows = rowsOf(RevenueCode)

const codeRecord = (code: RevenueCode) => ({ ...code, code_key: codeKey(code.code) })

const revenueCodeStore = storeFrom(RevenueCodeStore, function* (sql) {
  const records = makeUniqueRecords(sql, yield* Transaction, {
    rows: codeRows,
    table: "revenue_codes",
    archivable: true,
    toRecord: codeRecord,
    unique: {
      columns: ["namespace", "code_key"],
      constraint: "revenue_codes_code",
      record: "revenue code",
      field: "code"
    }
  })
  const select = sql`SELECT ${sql.literal(codeRows.columns("t"))} FROM revenue_codes AS t`

  const findByCode = (organisation_id: string, namespace: Namespace, code: string) =>
    codeRows.first(
      readBeside(sql`
        ${select}
        WHERE t.organisation_id = ${organisation_id} AND t.namespace = ${namespace} AND t.code_key = ${codeKey(code)}`)
    )

  /** Waits for a transaction that is writing the same text; when that is undone or has another text, it tries again. */
  const findOrInsert = (code: RevenueCode): Effect.Effect<{ readonly code: RevenueCode; readonly created: boolean }> =>
    Effect.gen(function* () {
      const written = yield* Effect.orDie(
        sql`
          ${insertRecord(sql, "revenue_codes", codeRecord(code))}
          ON CONFLICT (organisation_id, namespace, code_key) DO NOTHING RETURNING id`
      )
      if (written.length > 0) return { code, created: true }
      const holder = yield* findByCode(code.organisation_id, code.namespace, code.code)
      return Option.isSome(holder) ? { code: holder.value, created: false } : yield* findOrInsert(code)
    })

  return { ...records, findOrInsert, findByCode }
})

const settingsRows = rowsOf(GivingSettings)

const settingsTaken = settingsRows.names.map((name) => `${name} = EXCLUDED.${name}`).join(", ")

const givingSettingsStore = storeOf(GivingSettingsStore, (sql) => ({
  of: (organisation_id) =>
    Effect.map(
      settingsRows.first(
        readBeside(sql`
          SELECT ${sql.literal(settingsRows.columns("t"))} FROM giving_settings AS t
          WHERE t.organisation_id = ${organisation_id}`)
      ),
      Option.getOrElse(() => initial(organisation_id))
    ),
  set: (settings) =>
    runOrDie(sql`
      ${insertRecord(sql, "giving_settings", settings)}
      ON CONFLICT (organisation_id) DO UPDATE SET ${sql.literal(settingsTaken)}`),
  logoOf: (organisation_id) =>
    readOrDie(
      sql<Logo>`
        SELECT t.organisation_id, t.name, t.data FROM giving_logos AS t WHERE t.organisation_id = ${organisation_id}`,
      ([logo]) => Option.fromNullishOr(logo)
    ),
  setLogo: (logo) =>
    runOrDie(sql`
      ${insertRecord(sql, "giving_logos", logo)}
      ON CONFLICT (organisation_id) DO UPDATE SET name = EXCLUDED.name, data = EXCLUDED.data`),
  removeLogo: (organisation_id) =>
    runOrDie(sql`DELETE FROM giving_logos AS t WHERE t.organisation_id = ${organisation_id}`)
}))

export const layer = Layer.mergeAll(
  checkoutLinkStore,
  consentPromptStore,
  contactLogStore,
  donationFormStore,
  donationStore,
  givingSettingsStore,
  refundStore,
  revenueCodeStore
)
