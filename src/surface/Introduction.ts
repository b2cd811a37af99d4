export {
  births,
  Command,
  Introduction,
  IntroductionRecord,
  listing,
  machine,
  NewIntroduction
} from "../domain/sharing/Introduction.ts"
