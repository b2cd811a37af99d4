/**
 * Puts forms on the pages of another site: `/embed.js`. Each link with `data-almoner` becomes a frame with the form of that
 * embed_token, which is named as the link was. The frame has the link's least height from the beginning, or that of the window,
 * and grows where its page is longer, so that nothing that is seen moves. What the frame reports is heard from its own origin
 * alone, and told once as an event of the page: `almoner:submitted`, `almoner:completed`.
 */
export const embedScript = `(()=>{const d=document
const put=(link)=>{const url=new URL(link.href),frame=d.createElement("iframe"),told={}
url.pathname=url.pathname.replace(/\\/f\\/[^/]*\\/?$/,"/embed/"+encodeURIComponent(link.dataset.almoner));url.searchParams.set("origin",location.origin)
frame.src=url.href;frame.title=link.textContent.trim()||link.querySelector("[alt]")?.alt||link.title;frame.allow="payment"
frame.style.cssText="display:block;width:100%;border:0";frame.style.minHeight=link.style.minHeight||"100vh"
addEventListener("message",({data,origin,source})=>{if(origin!==url.origin||source!==frame.contentWindow)return
const {first,height,type}=Object(data)
if(type==="almoner:size"&&height>0&&height<1e5){if(first&&frame.getBoundingClientRect().top<0)frame.scrollIntoView()
requestAnimationFrame(()=>requestAnimationFrame(()=>{frame.style.height=Math.ceil(height)+"px"}))}
if(/^almoner:(submitted|completed)$/.test(type)&&!told[type]){told[type]=1;frame.dispatchEvent(new CustomEvent(type,{bubbles:true}))}})
link.replaceWith(frame)}
const all=()=>d.querySelectorAll("a[data-almoner]").forEach(put)
all();if(d.readyState==="loading")addEventListener("DOMContentLoaded",all)})()`
