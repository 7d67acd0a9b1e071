import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { copiedRows, type SignInGuide } from '../../console/src/parts/provider-guides/guide.ts'
import { providerGuides } from '../../scripts/provider-guides.ts'
import { kindOf, presetNames } from '../../src/access/providers/connections/kinds/kinds.ts'
import { updateSignInConnectionSchema } from '../../src/access/providers/connections/schema.ts'

const guides = await providerGuides()

/** Facts about the providers, from their documentation. A change here needs a look there. */
const usable: Record<string, readonly string[]> = {
  'oidc entra': ['redirect_uri', 'post_logout_redirect_uri'],
  'oidc google': ['redirect_uri'],
  'oidc okta': ['redirect_uri', 'post_logout_redirect_uri', 'global_token_revocation_uri'],
  'oidc keycloak': ['redirect_uri', 'post_logout_redirect_uri', 'backchannel_logout_uri'],
  'oidc auth0': ['redirect_uri', 'post_logout_redirect_uri', 'backchannel_logout_uri'],
  'oidc gitlab': ['redirect_uri'],
  'github generic': ['redirect_uri'],
}

it('each provider that the browser is sent to has a guide, and offers only the addresses that the provider can use', () => {
  for (const name of ['oidc', 'github', 'saml']) {
    const kind = kindOf(name)
    const addresses = Object.keys(kind.addresses('https://app.example.com/connections/1'))
    for (const preset of kind.presets) {
      const guide = guides.get(`${name} ${preset}`)
      assert.ok(guide, `${name} ${preset}`)
      const copied = [...new Set(copiedRows(guide).map(({ copies }) => copies))].sort()
      assert.deepEqual(copied, [...(usable[`${name} ${preset}`] ?? addresses)].sort(), `${name} ${preset}`)
    }
  }
  const scim = [...guides].filter(([name]) => name.startsWith('provisioning '))
  assert.ok(scim.length >= 5 && presetNames.length > 0)
  for (const [name, guide] of scim) {
    assert.deepEqual(
      copiedRows(guide)
        .map(({ copies }) => copies)
        .sort(),
      ['key', 'scim_url'],
      name,
    )
  }
})

it('each guide is part of the page that it leads to, and names only fields that exist', () => {
  const members = Object.keys(updateSignInConnectionSchema.properties)
  for (const [name, guide] of guides) {
    const page = readFileSync(join(import.meta.dirname, `../../docs/${guide.page}.md`), 'utf8')
    assert.ok(page.includes(`<!-- The steps of "${name}", `), `${guide.page} has the steps of ${name}`)
    const headings = [...page.matchAll(/^## (.*)$/gm)].map(([, text = '']) => text.toLowerCase().replaceAll(' ', '-'))
    assert.ok(guide.anchor === undefined || headings.includes(guide.anchor), `${guide.page}#${guide.anchor}`)
    assert.ok(guide.console === undefined || guide.console.startsWith('https://'), name)
    const { pastes = {}, hides = [], creates = {} } = guide as Partial<SignInGuide>
    const named = [...Object.keys(pastes), ...hides, ...Object.keys(creates)]
    assert.deepEqual(
      named.filter((member) => !members.includes(member)),
      [],
      name,
    )
  }
})
