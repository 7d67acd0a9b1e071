/** Conversations as the documentation of Entra and Okta shows them, with the parts put together as README.md says. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { compileFilter } from '../filter/evaluate.ts'
import { readListQuery } from '../paging/list-request.ts'
import { listResponse } from '../paging/list-response.ts'
import { acceptResource, applyPatch } from '../patch/apply.ts'
import { applyGroupPatch, type MemberStep, memberIds } from '../patch/members.ts'
import { readOperations } from '../patch/operations.ts'
import type { Json, JsonObject } from '../protocol/json.ts'
import { type ProfileName, profiles } from '../protocol/profiles.ts'
import { enterpriseUserUrn, groupUrn, patchOpUrn, userUrn } from '../protocol/urns.ts'
import { groupDefinition, userDefinition } from '../schemas/definition.ts'
import { compileProjection } from '../schemas/project.ts'
import { groupFromScim, groupToScim } from './group.ts'
import { userListQuery } from './list-query.ts'
import { type MappedUser, type StoredUser, userFromScim, userToScim } from './user.ts'

const base = 'https://example.com/auth/scim/v2'
const limits = { defaultPageSize: 100, maxPageSize: 1000 }
const times = { created_at: '2026-11-20T09:30:00.000Z', updated_at: '2026-11-20T09:30:00.000Z' }

/** A store in memory; `attributes` are those that Rollbook has. */
function directory(profile: ProfileName, attributes: readonly string[] = ['department', 'employee_number', 'manager']) {
  const habits = profiles[profile]
  const users = new Map<string, StoredUser>()
  const groups = new Map<string, { group: JsonObject; members: Set<string> }>()
  const represent = (user: StoredUser) => userToScim(user, base, 'W/"1"')
  const get = (id: string) => users.get(id) ?? assert.fail('There is no such user.')
  const store = (user_id: string, { members, document }: MappedUser) => {
    const {
      username,
      email,
      external_id,
      first_name,
      last_name,
      active = users.get(user_id)?.user.active ?? true,
    } = members
    users.set(user_id, {
      user: { user_id, username, email, external_id, first_name, last_name, active, ...times },
      document,
      attributes: Object.fromEntries(attributes.map((name) => [name, members.attributes[name] ?? null])),
      groups: [],
    })
    return represent(get(user_id))
  }
  const group = (id: string) => groups.get(id) ?? assert.fail('There is no such group.')
  const run = (members: Set<string>, step: MemberStep) => {
    if (step.kind === 'removeAll') members.clear()
    else if (step.kind === 'add') for (const id of step.ids) members.add(id)
    else if (step.kind === 'remove') for (const id of step.ids) members.delete(id)
    else for (const value of members) if (step.matches({ value, type: 'User' })) members.delete(value)
  }
  const message = (operations: Json) => readOperations({ schemas: [patchOpUrn], Operations: operations }, habits)
  return {
    attributesOf: (id: string) => get(id).attributes,
    postUser: (body: JsonObject) =>
      store(`u${users.size + 1}`, userFromScim(acceptResource(body, userDefinition, habits).resource)),
    putUser: (id: string, body: JsonObject) =>
      store(id, userFromScim(acceptResource(body, userDefinition, habits).resource)),
    patchUser: (id: string, operations: Json) => {
      const { resource, isChanged } = applyPatch(represent(get(id)), message(operations), userDefinition, habits)
      return isChanged ? store(id, userFromScim(resource)) : represent(get(id))
    },
    listUsers: (query: JsonObject) => {
      const request = readListQuery(query, limits, habits)
      const { filters, rest } = request.filter ? userListQuery(request.filter) : { filters: {}, rest: undefined }
      const matches = rest === undefined ? () => true : compileFilter(rest, userDefinition)
      const found = [...users.values()].filter(
        ({ user }) => filters.username === undefined || user.username.toLowerCase() === filters.username.toLowerCase(),
      )
      const resources = found.map(represent).filter(matches).map(compileProjection(userDefinition, request.projection))
      return listResponse(resources, { totalResults: resources.length, startIndex: 1 })
    },
    postGroup: (body: JsonObject) => {
      const { resource } = acceptResource(body, groupDefinition, habits)
      const id = `g${groups.size + 1}`
      const { name, external_id } = groupFromScim(resource)
      const created = groupToScim({ group_id: id, name, external_id, ...times }, undefined, base, 'W/"1"')
      groups.set(id, { group: created, members: new Set(memberIds(resource)) })
      return created
    },
    patchGroup: (id: string, operations: Json) => {
      const stored = group(id)
      const { resource, members } = applyGroupPatch(stored.group, message(operations), groupDefinition, habits)
      stored.group = resource
      for (const step of members) run(stored.members, step)
      return { name: resource.displayName, members: [...stored.members] }
    },
  }
}

describe('a conversation with Entra ID', () => {
  it('creates, finds, changes and disables a user', () => {
    const entra = directory('entra')
    const created = entra.postUser({
      schemas: [userUrn, enterpriseUserUrn],
      externalId: '0a21f0f2',
      userName: 'Test_User_00aa@testuser.com',
      active: true,
      emails: [{ primary: true, type: 'work', value: 'Test_User_11bb@testuser.com' }],
      meta: { resourceType: 'User' },
      name: { formatted: 'givenName familyName', familyName: 'familyName', givenName: 'givenName' },
      roles: [],
      [enterpriseUserUrn]: { department: 'Sales' },
    })
    assert.equal(created.id, 'u1')
    for (const filter of [
      'userName eq "test_user_00AA@testuser.com"',
      'emails[type eq "work"].value eq "test_user_11bb@testuser.com"',
      'externalId eq "0a21f0f2"',
    ]) {
      assert.deepEqual(entra.listUsers({ filter }).Resources, [created], filter)
    }
    assert.deepEqual(entra.listUsers({ filter: 'userName eq "nobody"' }), {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
      totalResults: 0,
      startIndex: 1,
      itemsPerPage: 0,
      Resources: [],
    })
    const changed = entra.patchUser('u1', [
      { op: 'Replace', path: 'emails[type eq "work"].value', value: 'updatedEmail@microsoft.com' },
      { op: 'Replace', path: 'name.familyName', value: 'updatedFamilyName' },
      { op: 'Add', path: `${enterpriseUserUrn}:manager`, value: 'u9' },
      {
        op: 'Replace',
        value: { displayName: 'Bjfe', 'name.givenName': 'Kkom', [`${enterpriseUserUrn}:employeeNumber`]: 'Aklq' },
      },
      { op: 'Add', path: 'phoneNumbers[type eq "mobile"].value', value: '555' },
    ])
    assert.deepEqual(changed, {
      ...created,
      schemas: [userUrn, enterpriseUserUrn],
      emails: [{ primary: true, type: 'work', value: 'updatedEmail@microsoft.com' }],
      name: { formatted: 'givenName familyName', familyName: 'updatedFamilyName', givenName: 'Kkom' },
      displayName: 'Bjfe',
      phoneNumbers: [{ type: 'mobile', value: '555' }],
      [enterpriseUserUrn]: { department: 'Sales', employeeNumber: 'Aklq', manager: { value: 'u9' } },
    })
    assert.deepEqual(entra.attributesOf('u1'), { department: 'Sales', employee_number: 'Aklq', manager: 'u9' })
    const disabled = entra.patchUser('u1', [
      { op: 'Replace', path: 'active', value: 'False' },
      { op: 'Remove', path: `${enterpriseUserUrn}:department` },
    ])
    assert.equal(disabled.active, false)
    assert.deepEqual(entra.attributesOf('u1'), { department: null, employee_number: 'Aklq', manager: 'u9' })
    assert.deepEqual(entra.listUsers({ filter: 'active eq false', attributes: 'userName' }).Resources, [
      { schemas: disabled.schemas, id: 'u1', userName: created.userName },
    ])
    assert.deepEqual(entra.patchUser('u1', []), disabled)
  })

  it('fills a group and empties it', () => {
    const entra = directory('entra')
    entra.postGroup({
      schemas: [groupUrn, 'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group'],
      externalId: '8aa1a0c0',
      displayName: 'displayName',
      meta: { resourceType: 'Group' },
    })
    const after = (op: string, path: string, value?: Json) =>
      entra.patchGroup('g1', [{ op, path, ...(value !== undefined && { value }) }])
    assert.deepEqual(after('Replace', 'displayName', 'updated'), { name: 'updated', members: [] })
    assert.deepEqual(after('Add', 'members', [{ $ref: null, value: 'u1' }]), { name: 'updated', members: ['u1'] })
    assert.deepEqual(after('Add', 'members', [{ $ref: null, value: 'u1' }, { value: 'u2' }]), {
      name: 'updated',
      members: ['u1', 'u2'],
    })
    assert.deepEqual(after('Remove', 'members', [{ $ref: null, value: 'u1' }]), { name: 'updated', members: ['u2'] })
    assert.deepEqual(after('remove', 'members[value eq "u2"]'), { name: 'updated', members: [] })
  })
})

describe('a conversation with Okta', () => {
  it('creates a user, replaces the profile and deactivates', () => {
    const okta = directory('okta')
    const body: JsonObject = {
      schemas: [userUrn],
      userName: 'test.user@okta.local',
      name: { givenName: 'Test', familyName: 'User' },
      emails: [{ primary: true, value: 'test.user@okta.local', type: 'work' }],
      displayName: 'Test User',
      locale: 'en-US',
      externalId: '00ujl29u0le5T6Aj10h7',
      groups: [],
      password: '1mz050nq-Alpha-Bravo',
      active: true,
    }
    const { password: _password, groups: _groups, ...remaining } = body
    const created = okta.postUser(body)
    const { id, meta, ...represent } = created
    assert.deepEqual(represent, remaining)
    const put = okta.putUser('u1', {
      ...body,
      id: 'u1',
      meta: { resourceType: 'User' },
      name: { givenName: 'Another', middleName: 'Excited', familyName: 'User' },
    })
    assert.deepEqual(put, { ...created, name: { givenName: 'Another', middleName: 'Excited', familyName: 'User' } })
    const off = okta.patchUser('u1', [{ op: 'replace', value: { active: false } }])
    assert.deepEqual(off, { ...put, active: false })
    const { active: _active, ...withoutActive } = body
    assert.equal(okta.putUser('u1', withoutActive).active, false)
  })

  it('pushes a group', () => {
    const okta = directory('okta')
    okta.postGroup({
      schemas: [groupUrn],
      displayName: 'Test SCIMv2',
      members: [{ value: 'u1', display: 'a@okta.local' }],
    })
    assert.deepEqual(okta.patchGroup('g1', [{ op: 'replace', value: { id: 'g1', displayName: 'Test SCIMv2 b' } }]), {
      name: 'Test SCIMv2 b',
      members: ['u1'],
    })
    assert.deepEqual(
      okta.patchGroup('g1', [
        { op: 'remove', path: 'members[value eq "u1"]' },
        { op: 'add', path: 'members', value: [{ value: 'u2', display: 'b@okta.local' }] },
      ]).members,
      ['u2'],
    )
    assert.deepEqual(
      okta.patchGroup('g1', [{ op: 'replace', path: 'members', value: [{ value: 'u3' }, { value: 'u2' }] }]).members,
      ['u3', 'u2'],
    )
    assert.deepEqual(okta.patchGroup('g1', [{ op: 'replace', path: 'members', value: [] }]).members, [])
  })
})
