/** Resources over HTTP: RFC 7643 §2 to §4, RFC 7644 §3.3, §3.4.1, §3.5.1, §3.6 and §3.9. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { engines } from '../../../test/harness.ts'
import { bjensen } from '../../../test/scim/bjensen.ts'
import { assertRefused, type Body, connect } from '../../../test/scim/provider.ts'
import { enterpriseUserUrn, groupUrn, patchOpUrn, userUrn } from '../protocol/urns.ts'

/** Nothing listens, so there is no port. */
const base = 'http://127.0.0.1:0/auth/scim/v2'
const nobody = '01890a5d-ac96-774b-bcce-b302099a8057'

for (const engine of engines) {
  describe(`resources of SCIM on ${engine.name}`, () => {
    it('returns every attribute exactly as it was sent, and never the password', async (t) => {
      const { app, scim, patch } = await connect(t, engine)
      const created = await scim('POST', '/Users', { ...bjensen, password: 'nanoseconds on a string' })
      assert.equal(created.status, 201, created.text)
      const { id, meta, ...rest } = created.body
      assert.deepEqual(rest, bjensen)
      assert.deepEqual(Object.keys(meta).sort(), ['created', 'lastModified', 'location', 'resourceType', 'version'])
      assert.equal(meta.resourceType, 'User')
      assert.equal(meta.location, `${base}/Users/${id}`)
      assert.equal((await app.call('GET', `/users/${id}`)).body.has_password, true)
      const answers = [
        created,
        await scim('GET', `/Users/${id}?attributes=password,userName`),
        await scim('GET', '/Users'),
        await patch(`/Users/${id}`, { op: 'replace', path: 'password', value: 'microseconds on a string' }),
        await scim('PUT', `/Users/${id}`, { ...bjensen, password: 'milliseconds on a string' }),
      ]
      for (const response of answers) assert.doesNotMatch(response.text, /password|seconds on a string/, response.text)
      const signIn = (password: string) =>
        app.call('POST', '/sessions', { key: null, body: { username: 'bjensen@example.com', password } })
      assert.equal((await signIn('nanoseconds on a string')).status, 401)
      assert.equal((await signIn('milliseconds on a string')).status, 201)
    })

    it('ignores what only the server sets, in POST and PUT', async (t) => {
      const { scim, createGroup } = await connect(t, engine)
      const group = await createGroup('Guides')
      const forged = {
        id: nobody,
        meta: { resourceType: 'Group', created: '2001-01-01T00:00:00Z', version: 'W/"1000"', location: 'https://evil' },
        groups: [{ value: group.id }],
      }
      const created = await scim('POST', '/Users', { schemas: [userUrn], userName: 'ada', ...forged })
      assert.equal(created.status, 201, created.text)
      assert.notEqual(created.body.id, nobody)
      assert.equal(created.body.groups, undefined)
      const put = await scim('PUT', `/Users/${created.body.id}`, { schemas: [userUrn], userName: 'ada', ...forged })
      assert.deepEqual(
        [put.status, put.body.id, put.body.groups, put.body.meta.created],
        [200, created.body.id, undefined, created.body.meta.created],
      )
    })

    it('reads names of attributes and schemas without regard to case', async (t) => {
      const { scim } = await connect(t, engine)
      const created = await scim('POST', '/Users', {
        SCHEMAS: [userUrn.toUpperCase()],
        USERNAME: 'Ada',
        Name: { GIVENNAME: 'Ada' },
        EMAILS: [{ VALUE: 'ada@example.com', Primary: true }],
        [enterpriseUserUrn.toLowerCase()]: { DEPARTMENT: 'Analysis' },
      })
      assert.equal(created.status, 201, created.text)
      const { id, meta: _, ...rest } = created.body
      assert.deepEqual(rest, {
        schemas: [userUrn, enterpriseUserUrn],
        userName: 'Ada',
        name: { givenName: 'Ada' },
        active: true,
        emails: [{ value: 'ada@example.com', primary: true }],
        [enterpriseUserUrn]: { department: 'Analysis' },
      })
      const found = await scim('GET', `/Users/${id}?ATTRIBUTES=USERNAME,${enterpriseUserUrn.toUpperCase()}:Department`)
      assert.deepEqual(Object.keys(found.body), ['schemas', 'id', 'userName', enterpriseUserUrn])
      const twice = await scim('POST', '/Users', { schemas: [userUrn], userName: 'b', username: 'c' })
      assertRefused(twice, 400, 'invalidSyntax')
    })

    it('takes null and an empty list as no value, and does not return them', async (t) => {
      const { scim } = await connect(t, engine)
      const created = await scim('POST', '/Users', {
        schemas: [userUrn],
        userName: 'ada',
        externalId: null,
        title: null,
        name: { givenName: null },
        emails: [],
        phoneNumbers: null,
      })
      assert.equal(created.status, 201, created.text)
      assert.deepEqual(Object.keys(created.body), ['schemas', 'id', 'userName', 'active', 'meta'])
      assert.doesNotMatch(created.text, /null|\[\]/)
    })

    it('refuses what the schema does not allow, and says why', async (t) => {
      const { scim, createUser, createGroup } = await connect(t, engine)
      const { id } = await createUser({ userName: 'ada', externalId: 'x-1', emails: [{ value: 'ada@example.com' }] })
      const group = await createGroup('Guides')
      const user = { schemas: [userUrn], userName: 'b' }
      const cases: [Body | string, number, string][] = [
        [{ schemas: [userUrn] }, 400, 'invalidValue'],
        [{ ...user, userName: '' }, 400, 'invalidValue'],
        [{ userName: 'b' }, 400, 'invalidSyntax'],
        [{ ...user, schemas: [groupUrn] }, 400, 'invalidSyntax'],
        [{ ...user, schemas: [] }, 400, 'invalidSyntax'],
        [{ ...user, schemas: [userUrn, 'urn:example:2.0:Other'] }, 400, 'invalidSyntax'],
        [{ ...user, active: 'true' }, 400, 'invalidValue'],
        [{ ...user, emails: { value: 'b@example.com' } }, 400, 'invalidValue'],
        [
          {
            ...user,
            emails: [
              { value: 'a@x.org', primary: true },
              { value: 'b@x.org', primary: true },
            ],
          },
          400,
          'invalidValue',
        ],
        [{ ...user, emails: [{ value: 'no address' }] }, 400, 'invalidValue'],
        [{ ...user, colour: 'red' }, 400, 'invalidSyntax'],
        [{ ...user, x509Certificates: [{ value: '%%%' }] }, 400, 'invalidValue'],
        [{ ...user, userName: 'ADA' }, 409, 'uniqueness'],
        [{ ...user, externalId: 'x-1' }, 409, 'uniqueness'],
        [{ ...user, emails: [{ value: 'ADA@example.com' }] }, 409, 'uniqueness'],
        [{ ...user, password: 'short' }, 400, 'invalidValue'],
        ['[]', 400, 'invalidSyntax'],
        ['"ada"', 400, 'invalidSyntax'],
        ['{"schemas":', 400, 'invalidSyntax'],
        ['', 400, 'invalidSyntax'],
      ]
      for (const [body, status, scimType] of cases) {
        assertRefused(await scim('POST', '/Users', body), status, scimType)
        if (scimType === 'uniqueness') continue
        assertRefused(await scim('PUT', `/Users/${id}`, body), status, scimType)
      }
      assertRefused(await scim('POST', '/Groups', { schemas: [groupUrn] }), 400, 'invalidValue')
      assertRefused(await scim('POST', '/Groups', { schemas: [groupUrn], displayName: 'GUIDES' }), 409, 'uniqueness')
      const other = await createGroup('Drivers')
      const taken = { schemas: [groupUrn], displayName: 'guides' }
      assertRefused(await scim('PUT', `/Groups/${other.id}`, taken), 409, 'uniqueness')
      assert.equal((await scim('PUT', `/Groups/${group.id}`, taken)).status, 200, 'its own name')
      const nested = { schemas: [groupUrn], displayName: 'All', members: [{ value: group.id, type: 'Group' }] }
      assertRefused(await scim('POST', '/Groups', nested), 400, 'invalidValue')
      const unknown = { schemas: [groupUrn], displayName: 'All', members: [{ value: nobody }] }
      assertRefused(await scim('POST', '/Groups', unknown), 400, 'invalidValue')
      assert.equal((await scim('GET', '/Groups')).body.totalResults, 2, 'nothing is left of a refused group')
    })

    it('replaces with PUT all that the client sets, and never creates with it', async (t) => {
      const { app, scim } = await connect(t, engine)
      const { id } = (await scim('POST', '/Users', bjensen)).body
      const put = await scim('PUT', `/Users/${id}`, { schemas: [userUrn], userName: 'babs', nickName: 'Babs' })
      assert.equal(put.status, 200, put.text)
      const { meta: _, ...rest } = put.body
      assert.deepEqual(rest, { schemas: [userUrn], id, userName: 'babs', nickName: 'Babs', active: true })
      const { body } = await app.call('GET', `/users/${id}`)
      assert.deepEqual(
        [body.username, body.email, body.external_id, body.first_name, body.last_name],
        ['babs', null, null, '', ''],
      )
      assertRefused(await scim('PUT', `/Users/${nobody}`, { schemas: [userUrn], userName: 'new' }), 404)
      assertRefused(await scim('PUT', `/Groups/${nobody}`, { schemas: [groupUrn], displayName: 'new' }), 404)
    })

    it('does not touch meta.lastModified when nothing changes', async (t) => {
      let now = Date.parse('2026-11-20T09:30:00Z')
      const { scim, createGroup, createUser, patch } = await connect(t, engine, { clock: () => now })
      const user = (await scim('POST', '/Users', bjensen)).body
      const member = await createUser()
      const group = await createGroup('Guides', [member.id])
      now += 60_000
      const answers = [
        await scim('PUT', `/Users/${user.id}`, bjensen),
        await patch(`/Users/${user.id}`, { op: 'replace', path: 'title', value: 'Tour Guide' }),
        await patch(`/Users/${user.id}`, {
          op: 'add',
          path: 'emails',
          value: [{ value: 'babs@jensen.org', type: 'home' }],
        }),
        await patch(`/Users/${user.id}`, { op: 'add', value: { nickName: 'Babs' } }),
      ]
      for (const { status, body, text } of answers) {
        assert.deepEqual([status, body.meta], [200, user.meta], text)
      }
      await patch(`/Groups/${group.id}`, { op: 'add', path: 'members', value: [{ value: member.id }] })
      await patch(`/Groups/${group.id}`, { op: 'remove', path: `members[value eq "${user.id}"]` })
      await scim('PUT', `/Groups/${group.id}`, {
        schemas: [groupUrn],
        displayName: 'Guides',
        members: [{ value: member.id }],
      })
      assert.deepEqual((await scim('GET', `/Groups/${group.id}`)).body.meta, group.meta)
      const changed = await patch(`/Users/${user.id}`, { op: 'replace', path: 'title', value: 'Guide' })
      assert.equal(changed.body.meta.lastModified, '2026-11-20T09:31:00.000Z')
      assert.equal(changed.body.meta.created, user.meta.created)
    })

    it('returns the attributes that the client asks for, in every response with a resource', async (t) => {
      const { scim, createGroup } = await connect(t, engine)
      const created = await scim('POST', '/Users?attributes=name.givenName', bjensen)
      const { id } = created.body
      const only = { schemas: bjensen.schemas, id, name: { givenName: 'Barbara' } }
      assert.deepEqual(created.body, only)
      const operations = {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
        Operations: [{ op: 'replace', path: 'title', value: 'x' }],
      }
      const search = {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'],
        attributes: ['name.givenName'],
      }
      for (const resource of [
        (await scim('GET', `/Users/${id}?attributes=name.givenName`)).body,
        (await scim('PUT', `/Users/${id}?attributes=name.givenName`, bjensen)).body,
        (await scim('PATCH', `/Users/${id}?attributes=name.givenName`, operations)).body,
        (await scim('GET', '/Users?attributes=name.givenName')).body.Resources[0],
        (await scim('GET', `/Users?attributes=${userUrn}:name.givenName`)).body.Resources[0],
        (await scim('POST', '/Users/.search', search)).body.Resources[0],
        (await scim('POST', '/.search', search)).body.Resources[0],
      ]) {
        assert.deepEqual(resource, only)
      }
      const without = await scim(
        'GET',
        `/Users/${id}?excludedAttributes=id,schemas,emails,name.formatted,meta,${enterpriseUserUrn}:manager`,
      )
      assert.deepEqual([without.body.id, without.body.schemas], [id, bjensen.schemas], 'returned: always')
      assert.deepEqual(
        [without.body.emails, without.body.meta, without.body.name.formatted],
        [undefined, undefined, undefined],
      )
      assert.equal(without.body.name.givenName, 'Barbara')
      assert.deepEqual(Object.keys(without.body[enterpriseUserUrn]), [
        'employeeNumber',
        'costCenter',
        'organization',
        'division',
        'department',
      ])
      assertRefused(await scim('GET', `/Users/${id}?attributes=id&excludedAttributes=name`), 400, 'invalidValue')
      const both = await scim('POST', '/Users?attributes=id&excludedAttributes=name', {
        schemas: [userUrn],
        userName: 'none',
      })
      assertRefused(both, 400, 'invalidValue')
      assert.equal(
        (await scim('GET', '/Users?filter=userName%20eq%20%22none%22')).body.totalResults,
        0,
        'refused before the change',
      )
      const group = await createGroup('Guides', [id])
      assert.deepEqual(Object.keys((await scim('GET', `/Groups/${group.id}?excludedAttributes=members`)).body), [
        'schemas',
        'id',
        'displayName',
        'meta',
      ])
      assert.deepEqual((await scim('GET', `/Groups/${group.id}?attributes=members.value`)).body, {
        schemas: [groupUrn],
        id: group.id,
        members: [{ value: id }],
      })
      const patched = await scim('PATCH', `/Groups/${group.id}?attributes=displayName`, {
        ...operations,
        Operations: [{ op: 'replace', path: 'displayName', value: 'Tour guides' }],
      })
      assert.deepEqual(
        [patched.status, patched.body],
        [200, { schemas: [groupUrn], id: group.id, displayName: 'Tour guides' }],
      )
    })

    it('shows members with address and type, and the groups of a user', async (t) => {
      const { scim, createUser, createGroup } = await connect(t, engine)
      const user = await createUser({ userName: 'Ada' })
      const group = await createGroup('Guides', [user.id])
      assert.deepEqual(group.members, [
        { value: user.id, $ref: `${base}/Users/${user.id}`, type: 'User', display: 'Ada' },
      ])
      assert.deepEqual((await scim('GET', `/Users/${user.id}`)).body.groups, [
        { value: group.id, $ref: `${base}/Groups/${group.id}`, display: 'Guides', type: 'direct' },
      ])
      await scim('DELETE', `/Groups/${group.id}`)
      assert.equal((await scim('GET', `/Users/${user.id}`)).body.groups, undefined)
    })

    it('deletes so that the name is free at once, and the user can be restored', async (t) => {
      const { app, scim, createUser, createGroup } = await connect(t, engine)
      const user = await createUser({ userName: 'ada', externalId: 'x-1', title: 'Countess' })
      const group = await createGroup('Guides', [user.id])
      const deleted = await scim('DELETE', `/Users/${user.id}`)
      assert.deepEqual([deleted.status, deleted.text], [204, ''])
      for (const method of ['GET', 'DELETE']) assertRefused(await scim(method, `/Users/${user.id}`), 404)
      assert.equal((await scim('GET', '/Users')).body.totalResults, 0)
      assert.deepEqual((await scim('GET', `/Groups/${group.id}`)).body.members, [])
      const again = await createUser({ userName: 'ada', externalId: 'x-1' })
      assert.notEqual(again.id, user.id)
      await scim('DELETE', `/Users/${again.id}`)
      const restored = await app.call('POST', `/users/${user.id}/restore`)
      assert.equal(restored.status, 200, restored.text)
      assert.equal((await scim('GET', `/Users/${user.id}`)).body.title, 'Countess')
    })

    it('sets no password of a service account, which stays one whatever userType the client sends', async (t) => {
      const { app, scim } = await connect(t, engine)
      const account = await app.call('POST', '/users', { body: { username: 'billing', kind: 'service' } })
      const path = `/Users/${account.body.user_id}`
      const body = { schemas: [userUrn], userName: 'billing', userType: 'Employee' }
      assertRefused(
        await scim('PUT', path, { ...body, password: 'a belt of fifty million trees' }),
        400,
        'invalidValue',
      )
      const replaced = await scim('PUT', path, body)
      assert.deepEqual([replaced.status, replaced.body.userType], [200, 'Employee'], replaced.text)
      const { kind, has_password } = (await app.call('GET', `/users/${account.body.user_id}`)).body
      assert.deepEqual([kind, has_password], ['service', false])
    })

    it('changes nothing in a dry run, with the same checks', async (t) => {
      const { scim, createUser, createGroup } = await connect(t, engine)
      const user = await createUser({ userName: 'ada', title: 'Countess' })
      const group = await createGroup('Guides', [user.id])
      const state = async () => [(await scim('GET', '/Users')).body, (await scim('GET', '/Groups')).body]
      const before = await state()
      const patch = (...Operations: Body[]) => ({ schemas: [patchOpUrn], Operations })
      const newUser = { schemas: [userUrn], userName: 'ben', password: 'nanoseconds on a string' }
      const newGroup = { schemas: [groupUrn], displayName: 'Drivers', members: [{ value: user.id }] }
      const cases: [method: string, path: string, body: Body | undefined, status: number][] = [
        ['POST', '/Users', newUser, 200],
        ['PUT', `/Users/${user.id}`, { ...newUser, title: 'x' }, 200],
        ['PATCH', `/Users/${user.id}`, patch({ op: 'replace', path: 'title', value: 'x' }), 200],
        ['DELETE', `/Users/${user.id}`, undefined, 204],
        ['POST', '/Groups', newGroup, 204],
        ['PUT', `/Groups/${group.id}`, { ...newGroup, members: [] }, 204],
        ['PATCH', `/Groups/${group.id}`, patch({ op: 'remove', path: 'members' }), 204],
        ['DELETE', `/Groups/${group.id}`, undefined, 204],
      ]
      for (const [method, path, body, status] of cases) {
        const response = await scim(method, `${path}?dry_run=true`, body)
        assert.deepEqual(
          [response.status, response.headers['dry-run']],
          [status, 'true'],
          `${method} ${path}: ${response.text}`,
        )
      }
      const tried = await scim(
        'PATCH',
        `/Users/${user.id}?dry_run=true`,
        patch({ op: 'replace', path: 'title', value: 'x' }),
      )
      assert.equal(tried.body.title, 'x')
      assertRefused(await scim('POST', '/Users?dry_run=true', { ...newUser, userName: 'ADA' }), 409, 'uniqueness')
      assertRefused(await scim('POST', '/Users?dry_run=maybe', newUser), 400, 'invalidValue')
      const bulk = { schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'], Operations: [] }
      assertRefused(await scim('POST', '/Bulk?dry_run=true', bulk), 400, 'invalidValue')
      assert.deepEqual(await state(), before)
      assert.equal((await scim('POST', '/Users?dry_run=false', newUser)).status, 201)
    })

    it('takes the language of messages from preferredLanguage or locale, until the user chooses another', async (t) => {
      const { app, scim, patch } = await connect(t, engine)
      const sent = { ...bjensen, preferredLanguage: '&, de-AT;q=0.8, en;q=0.5' }
      const created = await scim('POST', '/Users', sent)
      const path = `/users/${created.body.id}`
      const locale = async () => (await app.call('GET', path)).body.locale
      assert.equal(created.body.preferredLanguage, sent.preferredLanguage)
      assert.equal(await locale(), 'de-AT')
      await app.call('PATCH', path, { body: { locale: 'ar' } })
      await scim('PUT', `/Users/${created.body.id}`, { ...sent, title: 'Guide' })
      assert.equal(await locale(), 'ar', 'the client repeats its value')
      await patch(`/Users/${created.body.id}`, { op: 'remove', path: 'preferredLanguage' })
      assert.equal(await locale(), 'en-US', 'the locale is left')
      await patch(`/Users/${created.body.id}`, { op: 'remove', path: 'locale' })
      assert.equal(await locale(), 'en-US')
      for (const [value, language] of [
        ['pt_br', 'pt-BR'],
        ['!', 'pt-BR'],
        ['zh-hant-TW', 'zh-Hant-TW'],
      ] as const) {
        await patch(`/Users/${created.body.id}`, { op: 'replace', path: 'locale', value })
        assert.equal(await locale(), language, value)
      }
    })

    it('disables a user with active false, and ends the sessions at once', async (t) => {
      const { app, scim, patch } = await connect(t, engine)
      const { id } = (await scim('POST', '/Users', { ...bjensen, password: 'nanoseconds on a string' })).body
      const signIn = () =>
        app.call('POST', '/sessions', {
          key: null,
          body: { username: bjensen.userName, password: 'nanoseconds on a string' },
        })
      const cookie = String((await signIn()).headers['set-cookie']).split(';', 1)[0] as string
      const me = () => app.call('GET', '/me', { key: null, headers: { cookie } })
      assert.equal((await me()).status, 200)
      const disabled = await patch(`/Users/${id}`, { op: 'replace', path: 'active', value: false })
      assert.equal(disabled.body.active, false)
      assert.equal((await me()).status, 401)
      assert.equal((await signIn()).status, 401)
      assert.equal((await scim('GET', `/Users/${id}`)).body.active, false, 'a disabled user stays visible')
      await patch(`/Users/${id}`, { op: 'replace', path: 'active', value: true })
      assert.equal((await me()).status, 401, 'the session does not come back')
      assert.equal((await signIn()).status, 201)
    })

    it('returns enterprise attributes as they were sent, whatever the type of the attribute here', async (t) => {
      const { app, scim, createUser, patch } = await connect(t, engine)
      for (const definition of [
        { name: 'employee_number', label: 'Number', type: 'number', unique: true },
        { name: 'department', label: 'Department', type: 'string' },
        { name: 'division', label: 'Division', type: 'boolean' },
        { name: 'organization', label: 'Organizations', type: 'string[]' },
        { name: 'cost_center', label: 'Since', type: 'datetime' },
      ]) {
        assert.equal((await app.call('POST', '/attributes', { body: definition })).status, 201)
      }
      const enterprise = {
        employeeNumber: '007',
        costCenter: '2026-11-24T09:30:00+01:00',
        organization: '["a; b", "c"]',
        division: 'True',
        department: '',
      }
      const schemas = [userUrn, enterpriseUserUrn]
      const created = await createUser({ schemas, [enterpriseUserUrn]: enterprise })
      assert.deepEqual(created[enterpriseUserUrn], enterprise)
      const listed = (await scim('GET', '/Users')).body.Resources
      assert.deepEqual([listed[0][enterpriseUserUrn], listed.length], [enterprise, 1])
      const { attributes } = (await app.call('GET', `/users/${created.id}`)).body
      assert.deepEqual(attributes, {
        employee_number: 7,
        cost_center: '2026-11-24T08:30:00.000Z',
        organization: ['a; b', 'c'],
        division: true,
      })

      const twice = { schemas, userName: 'twice', [enterpriseUserUrn]: { employeeNumber: '7' } }
      assertRefused(await scim('POST', '/Users', twice), 409, 'uniqueness')
      const wrong = await patch(`/Users/${created.id}`, {
        op: 'replace',
        path: `${enterpriseUserUrn}:employeeNumber`,
        value: 'seven',
      })
      assertRefused(wrong, 400, 'invalidValue')
      assert.match(wrong.body.detail, /^employeeNumber: /)

      const override = { attributes: { employee_number: 8, organization: ['d', 'e'] } }
      assert.equal((await app.call('PATCH', `/users/${created.id}?override=true`, { body: override })).status, 200)
      const changed = (await scim('GET', `/Users/${created.id}`)).body[enterpriseUserUrn]
      assert.deepEqual(changed, { ...enterprise, employeeNumber: '8', organization: 'd;e' })
    })
  })
}
