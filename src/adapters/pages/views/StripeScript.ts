/** The script of Stripe, of the release whose API the adapter asks. Stripe asks that it is loaded from there. */
export const stripeSource = "https://js.stripe.com/endive/stripe.js"

/**
 * Puts Stripe's own field on the page, and sends what it made of the donor's means of payment with the form: their details go
 * to Stripe alone. On the page of a payment it has Stripe show the donor's next step. Where Stripe's script does not come, what
 * the page says of that stays.
 */
export const stripeScript = `(()=>{const d=document,q=(s)=>d.querySelector(s),field=q("[data-stripe]"),step=q("[data-stripe-step]")
const fault=(text)=>{q("#stripe-fault").textContent=text||""}
const start=()=>{if(!window.Stripe)return
if(step)return window.Stripe(step.dataset.key).handleNextAction({clientSecret:step.dataset.stripeStep}).finally(()=>location.reload())
const set=field.dataset,stripe=window.Stripe(set.stripe),form=field.closest("form"),button=q("#stripe-give")
const elements=stripe.elements({mode:"payment",amount:Number(set.amount),currency:set.currency,paymentMethodTypes:set.methods.split(","),...(set.account?{onBehalfOf:set.account}:{}),...(set.repeats?{setupFutureUsage:"off_session"}:{}),locale:d.documentElement.lang==="ar"?"ar":"auto",appearance:{theme:matchMedia("(prefers-color-scheme:dark)").matches?"night":"stripe"}})
const place=q("#stripe");place.textContent="";const means=elements.create("payment");means.on("ready",()=>{button.hidden=false});means.on("loaderror",({error})=>fault(error.message));means.mount("#stripe")
let asked=false
button.addEventListener("click",async(event)=>{event.preventDefault();if(asked)return;asked=true;fault("")
try{const {error}=await elements.submit();if(error)throw error
const made=await stripe.createConfirmationToken({elements});if(made.error)throw made.error
form.elements.payment_token.value=made.confirmationToken.id;form.elements.method.value=made.confirmationToken.payment_method_preview.type
HTMLFormElement.prototype.submit.call(form)}catch(error){asked=false;fault(error.message)}})}
const source=q("script[data-stripe-source]");if(window.Stripe)start();else if(source)source.addEventListener("load",start)
})()`
