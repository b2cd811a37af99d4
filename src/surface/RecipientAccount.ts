export {
  births,
  Command,
  listing,
  machine,
  RecipientAccount,
  RecipientAccountDetail,
  RecipientAccountPatch,
  RecipientAccountRecord
} from "../domain/sharing/RecipientAccount.ts"
