import type { LimitFact } from "./LimitFacts.ts"

type Waits = "cardWaitHours" | "paytoWaitDays" | "progressTokenHours" | "paymentTokenCharacters"
type Prompts = "consentPrompts" | "consentPromptCharacters" | "consentPromptPosition"

/** The facts of the limits of charges and of the pages that make them. */
export const moneyLimitFacts: { readonly [Name in Waits | Prompts]: LimitFact } = {
  cardWaitHours: {
    meaning: "A card or direct-debit charge that waits for its donor; then the gift fails with `abandoned`",
    unit: "hours",
    source: "money, section 2"
  },
  paytoWaitDays: {
    meaning: "A PayTo charge that waits for its donor's approval; then the gift fails with `abandoned`",
    unit: "days",
    source: "money, section 2"
  },
  progressTokenHours: { meaning: "A page may ask how its payment goes", unit: "hours", source: "money, section 4" },
  paymentTokenCharacters: { meaning: "What a processor's page gives", unit: "characters", source: "own rule" },
  consentPrompts: { meaning: "Consent prompts that a page asks", unit: "prompts", source: "own rule" },
  consentPromptCharacters: { meaning: "Text of a consent prompt", unit: "characters", source: "money, section 4" },
  consentPromptPosition: { meaning: "Place of a consent prompt on the page", unit: "places", source: "own rule" }
}
