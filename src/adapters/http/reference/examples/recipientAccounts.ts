import { idOf, instant } from "../Samples.ts"
import { type Examples, page } from "./Example.ts"

const account = {
  id: idOf("recipientAccountLink"),
  label: "Harbour Food Bank",
  recipient_org_name: "Harbour Food Bank",
  recipient_org_slug: "harbour-food-bank",
  recipient_account_label: "Main account",
  is_active: true,
  created_at: instant
}

const detail = {
  ...account,
  recipient_integration_id: idOf("integration"),
  processor_connect_account_id: "acct_1Q8harbour",
  charges_enabled: true
}

export const recipientAccountExamples = {
  "recipient_accounts.link": {
    request: { passphrase: "gravel tiptop outlet zebra unmasked dollar" },
    answer: account
  },
  "recipient_accounts.list": { answer: page(account) },
  "recipient_accounts.read": { answer: detail },
  "recipient_accounts.update": { request: { label: "Food bank" }, answer: { ...detail, label: "Food bank" } },
  "recipient_accounts.deactivate": { answer: { ...detail, is_active: false } }
} satisfies Examples
