/**
 * Domains under which anyone can have a name, such as `co.uk` and `github.io`: they belong to no company. Not the whole of publicsuffix.org, which is
 * larger than this service: the second-level domains of countries, and where many people publish.
 */

/** Under top-level domains of countries, which have two letters. */
const ofCountries = new Set(
  'ac co com edu gob gok gouv gov govt gub gv ltd mil mod muni ne net nhs nom or org plc police sch'.split(' '),
)

const hosts = new Set(
  `me.uk id.au asn.au geek.nz gen.nz iwi.nz kiwi.nz maori.nz school.nz ad.jp ed.jp go.jp gr.jp lg.jp art.br adv.br eng.br ind.br inf.br
  firm.in gen.in ind.in asso.fr tm.fr web.za law.za in.th go.th mi.th k12.tr bel.tr pol.tr
  uk.com us.com eu.com de.com gb.net uk.net co.com br.com cn.com jpn.com ru.com sa.com za.com eu.org
  github.io gitlab.io bitbucket.io codeberg.page sourceforge.io readthedocs.io githubusercontent.com
  vercel.app vercel.dev netlify.app pages.dev workers.dev web.app firebaseapp.com appspot.com run.app cloudfunctions.net
  herokuapp.com onrender.com fly.dev railway.app deno.dev surge.sh repl.co replit.app stackblitz.io
  azurewebsites.net azurestaticapps.net cloudapp.net cloudapp.azure.com blob.core.windows.net trafficmanager.net azureedge.net
  s3.amazonaws.com cloudfront.net elasticbeanstalk.com amplifyapp.com awsapprunner.com
  blogspot.com wixsite.com myshopify.com notion.site
  sharepoint.com onmicrosoft.com mail.onmicrosoft.com
  ngrok.io ngrok.app ngrok-free.app trycloudflare.com ts.net duckdns.org ddns.net dyndns.org no-ip.org hopto.org nip.io sslip.io
  digitaloceanspaces.com ondigitalocean.app linodeobjects.com`.split(/\s+/),
)

/** `domain` in lower case and ASCII, with a dot. */
export function isPublicSuffix(domain: string): boolean {
  const [first = '', second = '', ...rest] = domain.split('.')
  return hosts.has(domain) || (rest.length === 0 && second.length === 2 && ofCountries.has(first))
}
