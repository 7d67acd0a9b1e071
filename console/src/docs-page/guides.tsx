import { useEffect, useMemo, useState } from 'react'
import { flushSync } from 'react-dom'
import picture from '../../../docs/images/provisioning.svg'
import provisioning from '../../../docs/provisioning.md?raw'
import entra from '../../../docs/provisioning-entra.md?raw'
import google from '../../../docs/provisioning-google.md?raw'
import keycloak from '../../../docs/provisioning-keycloak.md?raw'
import okta from '../../../docs/provisioning-okta.md?raw'
import { guideOf, idOf } from './guide-text.ts'

const texts = {
  provisioning,
  'provisioning-okta': okta,
  'provisioning-entra': entra,
  'provisioning-google': google,
  'provisioning-keycloak': keycloak,
}
const names = Object.keys(texts)
/** Absolute, as the build leaves it relative to the script. */
const pictures = { 'images/provisioning.svg': new URL(picture, import.meta.url).href }

/** Returns the guide that the URL names. The longest match wins: several names start with `provisioning`. */
function nameIn(hash: string): string | undefined {
  return names.filter((name) => hash.startsWith(`#${idOf(name)}`)).sort((a, b) => b.length - a.length)[0]
}

type Props = { api: string; isHidden: boolean }

/** The SCIM endpoint. RFC 7644 defines its operations, so they are not listed here. */
export function ScimSection({ api, isHidden }: Props) {
  const guides = useMemo(
    () => Object.entries(texts).map(([name, text]) => guideOf(name, text, { api, names, pictures })),
    [api],
  )
  const [openName, setOpenName] = useState(() => nameIn(location.hash))
  useEffect(() => {
    const bring = () => {
      const { hash } = location
      // An element must be visible before the page can scroll to it.
      flushSync(() => setOpenName((open) => nameIn(hash) ?? open))
      if (/^#(?:scim$|guide-)/.test(hash)) document.getElementById(hash.slice(1))?.scrollIntoView()
    }
    bring()
    addEventListener('hashchange', bring)
    return () => removeEventListener('hashchange', bring)
  }, [])
  return (
    <section className="guides" id="scim" aria-labelledby="scim-heading" hidden={isHidden}>
      <h3 id="scim-heading">SCIM</h3>
      <p>
        Identity providers administer users and groups through SCIM 2.0 (RFC 7643, 7644 and 9865) at{' '}
        <code>{api}/scim/v2</code>, with the key of a provisioning connection as the bearer token. The operations are
        those of RFC 7644, so they are not listed here;{' '}
        <a href={`${api}/scim/v2/ServiceProviderConfig`}>its configuration</a>,{' '}
        <a href={`${api}/scim/v2/ResourceTypes`}>resource types</a> and <a href={`${api}/scim/v2/Schemas`}>schemas</a>{' '}
        can be read without a key.
      </p>
      {guides.map(({ name, title, html }) => (
        <details
          key={name}
          id={idOf(name)}
          open={name === openName}
          onToggle={({ currentTarget }) => {
            if (currentTarget.open) setOpenName(name)
            else setOpenName((open) => (open === name ? undefined : open))
          }}
        >
          <summary>{title}</summary>
          {/* biome-ignore lint/security/noDangerouslySetInnerHtml: our own text, in which micromark escapes all HTML. */}
          {name === openName && <div className="renderedMarkdown" dangerouslySetInnerHTML={{ __html: html }} />}
        </details>
      ))}
    </section>
  )
}
