export { Email, GivenId, LongText, Name, NameUpTo, TextUpTo, WebUrl } from "../domain/kernel/Text.ts"
