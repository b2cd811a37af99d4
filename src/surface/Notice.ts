export { births, Command, machine, Notice, NoticeRecord } from "../domain/payments/Notice.ts"
