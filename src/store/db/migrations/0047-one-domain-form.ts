import { oneDomainForm } from '../../../lib/email-form.ts'
import type { Transaction } from '../db.ts'
import { joinSql, rawSql, type Sql, sql } from '../sql.ts'
import type { Migration } from './migration.ts'

/**
 * Gives domains one form in the keys of names and addresses (docs/decisions/0122). If two users would get the same
 * key, both keep their old one, and each is found by the form in which it was written.
 */
export const oneFormOfDomains: Migration = {
  name: '0047-one-domain-form',
  needs: '0003-several-nodes',
  sqlite: [],
  postgres: [],
  async fill(db) {
    for (const column of ['username_key', 'email_key']) await fillUsers(db, column)
    for (const column of ['username_key', 'email_key']) await fillColumn(db, { table: 'deleted_users', column })
    await fillColumn(db, { table: 'mails', column: 'address_key' })
    await fillColumn(db, { table: 'scim_emails', column: 'email_key', own: ['user_id'] })
    await fillColumn(db, {
      table: 'attribute_values',
      column: 'value_key',
      own: ['attribute'],
      where: await ofAddresses(db),
    })
  },
}

const atOnce = 1000

type Place = {
  table: string
  column: string
  /** Columns that must be unique together with this one. */
  own?: readonly string[]
  where?: Sql
}

/** Keys whose domain may have another form. */
function written(column: string): Sql {
  return rawSql(`${column} LIKE '%@%' AND (${column} LIKE '%@%xn--%' OR octet_length(${column}) <> length(${column}))`)
}

/** A thousand at a time: stores have a million users with such addresses. */
async function fillUsers(db: Transaction, column: string): Promise<void> {
  const [users, name] = [rawSql('users'), rawSql(column)]
  for (let after = ''; ; ) {
    const rows = await db.all<{ user_id: string; key: string }>(sql`
      SELECT user_id, ${name} AS key FROM ${users}
      WHERE user_id > ${after} AND ${written(column)} ORDER BY user_id LIMIT ${atOnce}`)
    for (const { user_id, key } of rows) {
      const form = oneDomainForm(key)
      if (form === key) continue
      await db.run(sql`
        UPDATE ${users} SET ${name} = ${form} WHERE user_id = ${user_id} AND NOT EXISTS (
          SELECT 1 FROM users AS other
          WHERE other.user_id <> ${user_id} AND (other.username_key = ${form} OR other.email_key = ${form}))`)
    }
    const last = rows.at(-1)
    if (last === undefined || rows.length < atOnce) return
    after = last.user_id
  }
}

async function fillColumn(db: Transaction, { table, column, own, where }: Place): Promise<void> {
  const [place, name] = [rawSql(table), rawSql(column)]
  const rows = await db.all<{ key: string }>(
    sql`SELECT DISTINCT ${name} AS key FROM ${place} WHERE ${written(column)} AND ${where ?? rawSql('true')}`,
  )
  for (const { key } of rows) {
    const form = oneDomainForm(key)
    if (form === key) continue
    const same = (own ?? []).map((other) => rawSql(`other.${other} = ${table}.${other}`))
    const isFree =
      own === undefined
        ? rawSql('true')
        : sql`NOT EXISTS (SELECT 1 FROM ${place} AS other WHERE other.${name} = ${form} AND ${joinSql(same, ' AND ')})`
    await db.run(
      sql`UPDATE ${place} SET ${name} = ${form} WHERE ${name} = ${key} AND ${where ?? rawSql('true')} AND ${isFree}`,
    )
  }
}

/** Attributes whose values are compared as addresses. */
async function ofAddresses(db: Transaction): Promise<Sql> {
  const rows = await db.all<{ name: string; definition: string }>(
    sql`SELECT name, definition FROM attribute_definitions`,
  )
  const names = rows.filter(({ definition }) => JSON.parse(definition).type === 'email').map(({ name }) => sql`${name}`)
  return names.length === 0 ? rawSql('false') : sql`attribute IN (${joinSql(names, ', ')})`
}
