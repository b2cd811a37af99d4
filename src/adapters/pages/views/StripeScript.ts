/** The script of Stripe, of the release whose API the adapter asks. Stripe asks that it is loaded from there. */
export const stripeSource = "https://js.stripe.com/endive/stripe.js"

/** The host that it comes from, as people are told who keep it away. */
export const stripeHost = new URL(stripeSource).host

/**
 * Puts Stripe's own fields on the page, and sends what they made of the donor's means of payment with the form: their details go
 * to Stripe alone. Where cards are closed, wallets have a field of their own: in the other one they are shown with cards alone. On
 * the page of a payment it has Stripe show the donor's next step: where that fails the page looks by itself how the payment goes.
 * Where Stripe's script does not come, it says so. What is sent is marked as by the script of all pages, which takes that away
 * from a page that is gone back to.
 */
export const stripeScript = `(()=>{const d=document,q=(s)=>d.querySelector(s),field=q("[data-stripe]"),step=q("[data-stripe-step]")
const tell=(at,text)=>{at.role="alert";at.textContent=text}
const fault=(text)=>{q("#stripe-fault").textContent=text||""}
const start=()=>{if(!window.Stripe)return
if(step)return Stripe(step.dataset.key).handleNextAction({clientSecret:step.dataset.stripeStep}).then(({error})=>{if(error)throw error;location.reload()}).catch(({message})=>tell(step,message))
const set=field.dataset,stripe=Stripe(set.stripe),form=field.closest("form"),its=form.dataset,button=q("#stripe-give"),place=q("#stripe"),wallets=q("#stripe-wallets")
const elementsFor=(methods)=>stripe.elements({mode:"payment",amount:Number(set.amount),currency:set.currency,paymentMethodTypes:methods,...(set.account?{onBehalfOf:set.account}:{}),...(set.repeats?{setupFutureUsage:"off_session"}:{}),locale:d.documentElement.lang==="ar"?"ar":"auto",appearance:{theme:matchMedia("(prefers-color-scheme:dark)").matches?"night":"stripe"}})
const mount=(element,at)=>{at.textContent="";element.on("loaderror",({error})=>{at.dataset.ready="";fault(error.message)});element.mount("#"+at.id)}
const give=async(elements,refuse)=>{if(its.sent)return;its.sent=1;fault("")
try{const {error}=await elements.submit();if(error)throw error
const made=await stripe.createConfirmationToken({elements});if(made.error)throw made.error
form.payment_token.value=made.confirmationToken.id;q("[name=method]").value=made.confirmationToken.payment_method_preview.type
form.submit()}catch(error){delete its.sent;fault(error.message);if(refuse)refuse()}}
if(place){const elements=elementsFor(set.methods.split(",")),means=elements.create("payment",{paymentMethodOrder:["apple_pay","google_pay",...set.methods.split(",")]})
means.on("ready",()=>{place.dataset.ready="";button.hidden=false});mount(means,place)
button.addEventListener("click",(event)=>{event.preventDefault();give(elements)})}
if(wallets){const elements=elementsFor(["card"]),express=elements.create("expressCheckout",{buttonType:{applePay:"donate",googlePay:"donate"},layout:{maxColumns:1,overflow:"never"},paymentMethods:{amazonPay:"never",link:"never",paypal:"never"}})
express.on("ready",({availablePaymentMethods:found})=>{if(!found){express.destroy();wallets.textContent=wallets.dataset.none}})
express.on("confirm",(event)=>give(elements,()=>event.paymentFailed({reason:"fail"})));mount(express,wallets)}}
const source=q("[data-stripe-source]");if(window.Stripe)start();else if(source){source.onload=start;source.onerror=()=>{for(const each of d.querySelectorAll("[data-blocked]")){each.dataset.ready="";tell(each,each.dataset.blocked)}}}
})()`
