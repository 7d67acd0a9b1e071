import { useEffect, useMemo, useState } from 'react'
import { flushSync } from 'react-dom'
import picture from '../../../docs/images/provisioning.svg'
import provisioning from '../../../docs/provisioning.md?raw'
import entra from '../../../docs/provisioning-entra.md?raw'
import google from '../../../docs/provisioning-google.md?raw'
import keycloak from '../../../docs/provisioning-keycloak.md?raw'
import okta from '../../../docs/provisioning-okta.md?raw'
import signInAdfs from '../../../docs/sign-in-adfs.md?raw'
import signInAuth0 from '../../../docs/sign-in-auth0.md?raw'
import signIn from '../../../docs/sign-in-company.md?raw'
import signInEntra from '../../../docs/sign-in-entra.md?raw'
import signInGithub from '../../../docs/sign-in-github.md?raw'
import signInGitlab from '../../../docs/sign-in-gitlab.md?raw'
import signInGoogle from '../../../docs/sign-in-google.md?raw'
import signInKeycloak from '../../../docs/sign-in-keycloak.md?raw'
import signInOkta from '../../../docs/sign-in-okta.md?raw'
import signInSaml from '../../../docs/sign-in-saml.md?raw'
import { type Guide, guideOf, idOf } from './guide-text.ts'

const scimTexts = {
  provisioning,
  'provisioning-okta': okta,
  'provisioning-entra': entra,
  'provisioning-google': google,
  'provisioning-keycloak': keycloak,
}
const signInTexts = {
  'sign-in-company': signIn,
  'sign-in-okta': signInOkta,
  'sign-in-entra': signInEntra,
  'sign-in-google': signInGoogle,
  'sign-in-keycloak': signInKeycloak,
  'sign-in-auth0': signInAuth0,
  'sign-in-gitlab': signInGitlab,
  'sign-in-github': signInGithub,
  'sign-in-saml': signInSaml,
  'sign-in-adfs': signInAdfs,
}
const texts = { ...scimTexts, ...signInTexts }
const names = Object.keys(texts)
/** Absolute, as the build leaves it relative to the script. */
const pictures = { 'images/provisioning.svg': new URL(picture, import.meta.url).href }

/** Returns the guide that the URL names. The longest match wins: several names start with `provisioning`. */
function nameIn(hash: string): string | undefined {
  return names.filter((name) => hash.startsWith(`#${idOf(name)}`)).sort((a, b) => b.length - a.length)[0]
}

type Props = { api: string; isHidden: boolean }

/** The guides for identity providers, and the SCIM endpoint. RFC 7644 defines its operations, so they are not listed here. */
export function GuideSections({ api, isHidden }: Props) {
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
      if (/^#(?:(?:scim|company-sign-in)$|guide-)/.test(hash)) document.getElementById(hash.slice(1))?.scrollIntoView()
    }
    bring()
    addEventListener('hashchange', bring)
    return () => removeEventListener('hashchange', bring)
  }, [])
  const listed = (of: object) => (
    <GuideList guides={guides.filter(({ name }) => name in of)} openName={openName} onOpen={setOpenName} />
  )
  return (
    <>
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
        {listed(scimTexts)}
      </section>
      <section className="guides" id="company-sign-in" aria-labelledby="company-sign-in-heading" hidden={isHidden}>
        <h3 id="company-sign-in-heading">Company sign-in</h3>
        <p>How users sign in with the account that they have at their company or another provider.</p>
        {listed(signInTexts)}
      </section>
    </>
  )
}

type ListProps = {
  guides: readonly Guide[]
  openName: string | undefined
  onOpen: (change: (open: string | undefined) => string | undefined) => void
}

function GuideList({ guides, openName, onOpen }: ListProps) {
  return guides.map(({ name, title, html }) => (
    <details
      key={name}
      id={idOf(name)}
      open={name === openName}
      onToggle={({ currentTarget: { open: isOpen } }) =>
        onOpen((open) => (isOpen ? name : open === name ? undefined : open))
      }
    >
      <summary>{title}</summary>
      {/* biome-ignore lint/security/noDangerouslySetInnerHtml: our own text, in which micromark escapes all HTML. */}
      {name === openName && <div className="renderedMarkdown" dangerouslySetInnerHTML={{ __html: html }} />}
    </details>
  ))
}
