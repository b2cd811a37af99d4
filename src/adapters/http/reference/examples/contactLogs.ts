import { idOf, instant } from "../Samples.ts"
import { donor } from "./donors.ts"
import { type Examples, farAhead, later, page } from "./Example.ts"

const newContactLog = {
  contact_method: "PHONE",
  notes: "Thanked for the spring gift. Wants to hear about the shelter.",
  follow_up_at: farAhead
}

const contactLog = {
  id: idOf("contactLog"),
  donor_id: donor.id,
  ...newContactLog,
  has_notes: true,
  free_text: ["notes"],
  occurred_at: instant,
  recorded_by_id: null,
  follow_up_completed_at: null,
  created_at: instant,
  updated_at: instant
}

export const contactLogExamples = {
  "contact_logs.create": { request: newContactLog, answer: contactLog },
  "contact_logs.list": { answer: page(contactLog) },
  "contact_logs.read": { answer: contactLog },
  "contact_logs.update": {
    request: { follow_up_completed_at: later },
    answer: { ...contactLog, follow_up_completed_at: later, updated_at: later }
  },
  "contact_logs.delete": { answer: { ...contactLog, updated_at: later } }
} satisfies Examples
