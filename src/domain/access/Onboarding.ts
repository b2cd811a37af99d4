import { Schema } from "effect"
import { WebUrl } from "../kernel/Text.ts"
import { Instant } from "../kernel/Timestamp.ts"

/** The input of a link under which an organisation tells a processor what it has to know. money, section 3. */
export const NewOnboarding = Schema.Struct({ return_url: WebUrl, refresh_url: WebUrl }).annotate({
  identifier: "NewOnboarding",
  meanings: {
    return_url: "Where the processor sends whoever has finished, or stopped. It says nothing of what came of it.",
    refresh_url: "Where it sends whoever opens a link that was opened before or has expired: make another link there."
  }
})
export type NewOnboarding = typeof NewOnboarding.Type

/** A link under which an organisation tells a processor what it has to know. Whoever has it acts for the organisation. */
export const OnboardingLink = Schema.Struct({ url: Schema.String, expires_at: Instant }).annotate({
  identifier: "OnboardingLink",
  meanings: { url: "The processor's own form, which can be opened once.", expires_at: "From when on it leads nowhere." }
})
export type OnboardingLink = typeof OnboardingLink.Type
