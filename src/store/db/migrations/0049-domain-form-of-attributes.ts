import { oneDomainForm } from '../../../lib/email-form.ts'
import type { Transaction } from '../db.ts'
import { sql } from '../sql.ts'
import type { Migration } from './migration.ts'

/**
 * Finishes 0047, which left a value of an attribute as it was if another user had it in its new form, although only the
 * values of unique attributes must differ.
 */
export const domainFormOfAttributes: Migration = {
  name: '0049-domain-form-of-attributes',
  needs: '0003-several-nodes',
  sqlite: [],
  postgres: [],
  async fill(db) {
    const definitions = await db.all<{ name: string; definition: string }>(
      sql`SELECT name, definition FROM attribute_definitions`,
    )
    for (const { name, definition } of definitions) {
      if (JSON.parse(definition).type === 'email') await fillAttribute(db, name)
    }
  },
}

async function fillAttribute(db: Transaction, attribute: string): Promise<void> {
  const rows = await db.all<{ key: string }>(sql`
    SELECT DISTINCT value_key AS key FROM attribute_values WHERE attribute = ${attribute}
      AND value_key LIKE '%@%' AND (value_key LIKE '%@%xn--%' OR octet_length(value_key) <> length(value_key))`)
  for (const { key } of rows) {
    const form = oneDomainForm(key)
    if (form === key) continue
    await db.run(sql`
      UPDATE attribute_values SET value_key = ${form} WHERE attribute = ${attribute} AND value_key = ${key}
        AND NOT EXISTS (
          SELECT 1 FROM attribute_values AS other
          WHERE other.attribute = ${attribute} AND other.value_key = ${form}
            AND (other.is_unique = 1 OR other.user_id = attribute_values.user_id))`)
  }
}
