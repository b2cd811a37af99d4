export {
  births,
  Command,
  ConsentPrompt,
  ConsentPromptPatch,
  ConsentPromptRecord,
  listing,
  machine,
  NewConsentPrompt
} from "../domain/giving/ConsentPrompt.ts"
