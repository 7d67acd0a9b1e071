/** Provisioning connections, and an identity provider that speaks SCIM through one. */
import { connectTo, filtered } from '../scim/provider.ts'
import { type Script, until } from './script.ts'

export async function provisioning({ app, admin, change }: Script): Promise<void> {
  const created = await admin('POST /provisioning', { name: 'Okta', profile: 'okta' })
  await admin('POST /provisioning', { name: 'OKTA' }, { refused: 409 })
  await admin('GET /provisioning')
  await admin(`GET /provisioning/${created.connection_id}`)
  await admin(`PATCH /provisioning/${created.connection_id}`, { profile: 'entra', end_date_attribute: 'userType' })

  const { scim, createUser, createGroup, patch, connection_id } = await connectTo(app, { name: 'Directory' })
  const user = await createUser({ userName: 'bjensen', emails: [{ value: 'bjensen@example.com', primary: true }] })
  await scim('POST', '/Users', { schemas: user.schemas, userName: 'BJENSEN' })
  await scim('GET', `/Users/${user.id}`)
  await scim('GET', `/Users?${filtered('userName eq "bjensen"')}`)
  await scim('GET', `/Users?${filtered('name.familyName co "Jen" or active eq true')}&count=2&sortBy=userName`)
  await scim('GET', `/Users?${filtered('userName eq "bjensen" or userName eq "mandy"')}`)
  await scim('GET', `/Users?${filtered('emails.value eq "bjensen@example.com"')}`)
  await scim('POST', '/Users/.search', { schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'], count: 1 })
  await scim('PUT', `/Users/${user.id}`, { ...user, name: { givenName: 'Barbara', familyName: 'Jensen' } })
  await patch(`/Users/${user.id}`, { op: 'replace', path: 'active', value: false })
  const group = await createGroup('Tour Guides', [user.id])
  await scim('GET', `/Groups/${group.id}`)
  await scim('GET', `/Groups?${filtered('displayName eq "tour guides"')}`)
  await scim('GET', `/Groups?${filtered(`members.value eq "${user.id}"`)}`)
  await scim('PUT', `/Groups/${group.id}`, { ...group, displayName: 'Guides' })
  await patch(`/Groups/${group.id}`, { op: 'remove', path: `members[value eq "${user.id}"]` })
  await scim('DELETE', `/Groups/${group.id}`)
  const second = await createUser({ userName: 'second' })
  await scim('DELETE', `/Users/${second.id}`)
  await scim('POST', '/Bulk', {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'],
    Operations: [{ method: 'POST', path: '/Users', bulkId: 'a', data: { schemas: user.schemas, userName: 'third' } }],
  })
  await until('the refusal of the second bjensen is stored', async () => {
    const [{ n } = {}] = await app.runSql('SELECT count(*) AS n FROM rejected_requests WHERE status = 409')
    return Number(n) === 1
  })
  await admin(`GET /provisioning/${connection_id}/rejected-requests`)
  await admin(`GET /users?managed_by=${connection_id}`)
  await admin(`DELETE /provisioning/${created.connection_id}`)
  await admin(`DELETE /provisioning/${connection_id}`)
  await change('provisioning.release_users', undefined as never)
}
