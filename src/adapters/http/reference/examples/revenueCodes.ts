import { idOf, instant } from "../Samples.ts"
import { type Examples, later, page } from "./Example.ts"

const revenueCode = {
  id: idOf("revenueCode"),
  code: "SPRING-2026",
  namespace: "INTERNAL",
  description: "Spring appeal",
  is_fca: false,
  archived_at: null,
  created_at: instant,
  updated_at: instant
}

export const revenueCodeExamples = {
  "revenue_codes.create": { request: { code: "SPRING-2026", description: "Spring appeal" }, answer: revenueCode },
  "revenue_codes.list": { answer: page(revenueCode) },
  "revenue_codes.read": { answer: revenueCode },
  "revenue_codes.update": {
    request: { description: null },
    answer: { ...revenueCode, description: null, updated_at: later }
  },
  "revenue_codes.archive": { answer: { ...revenueCode, archived_at: later, updated_at: later } }
} satisfies Examples
