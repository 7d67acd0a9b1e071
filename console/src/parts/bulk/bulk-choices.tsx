/** What a change of values sets: an attribute, or the language. */
import { Trans, useLingui } from '@lingui/react/macro'
import { Button, NativeSelect, Stack } from '@mantine/core'
import { useState } from 'react'
import type { BulkChange } from 'rollbook/client'
import { useSettableAttributes } from '../../data/attributes.ts'
import { DialogFoot } from '../../ui/dialog.tsx'
import { AttributeField } from '../attributes/attribute-field.tsx'
import { fieldOf, textsOf, valuesOf } from '../attributes/values.ts'
import { endOfDay } from '../end-date/end-date.ts'
import { EndDateField } from '../end-date/end-date-field.tsx'
import { OrganizationField } from '../organizations/organization-field.tsx'
import { LanguageSelect } from '../user-details/language-select.tsx'
import styles from './bulk-dialog.module.css'

type Values = NonNullable<BulkChange['attributes']>
type AttributeProps = {
  /** The values of an earlier preview. */
  initial: Values | undefined
  onClose: () => void
  onChoose: (values: Values) => void
}

export function ChooseAttribute({ initial = {}, onClose, onChoose }: AttributeProps) {
  const { t } = useLingui()
  const attributes = useSettableAttributes()
  const [before] = Object.entries(initial)
  const [name, setName] = useState(before?.[0] ?? '')
  const attribute = attributes.find((one) => one.name === name)
  const [text, setText] = useState(() => {
    const known = attribute === undefined ? {} : textsOf([attribute], { [name]: before?.[1] ?? '' })
    return known[fieldOf(name)] ?? ''
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (attribute !== undefined) onChoose(valuesOf([attribute], { [fieldOf(name)]: text }))
      }}
    >
      <Stack gap="md">
        <NativeSelect
          label={t`Attribute`}
          description={t`Unique attributes are not listed: each user has another value.`}
          required
          value={name}
          onChange={(event) => {
            setName(event.currentTarget.value)
            setText('')
          }}
          data-autofocus
        >
          <option value="" disabled>
            {t`Choose an attribute`}
          </option>
          {attributes.map(({ name, label }) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </NativeSelect>
        {attribute !== undefined && (
          <AttributeField
            key={name}
            attribute={attribute}
            input={{
              value: text,
              onChange: (event: { currentTarget: { value: string } }) => setText(event.currentTarget.value),
            }}
          />
        )}
        {attribute !== undefined && !attribute.required && text === '' && (
          <p className={styles.note}>
            <Trans>An empty field removes the value.</Trans>
          </p>
        )}
        <Foot onClose={onClose} isReady={attribute !== undefined} />
      </Stack>
    </form>
  )
}

type LanguageProps = { onClose: () => void; onChoose: (locale: string | null) => void }

export function ChooseLanguage({ onClose, onChoose }: LanguageProps) {
  const { t } = useLingui()
  const [language, setLanguage] = useState('')
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        onChoose(language === '' ? null : language)
      }}
    >
      <Stack gap="md">
        <LanguageSelect
          label={t`Language`}
          current=""
          value={language}
          onChange={(event) => setLanguage(event.currentTarget.value)}
          data-autofocus
        />
        <Foot onClose={onClose} isReady />
      </Stack>
    </form>
  )
}

type EndDateProps = { onClose: () => void; onChoose: (expires_at: string | null) => void }

export function ChooseEndDate({ onClose, onChoose }: EndDateProps) {
  const [day, setDay] = useState('')
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        onChoose(day === '' ? null : endOfDay(day))
      }}
    >
      <Stack gap="md">
        <EndDateField day={day} onChange={setDay} />
        <Foot onClose={onClose} isReady />
      </Stack>
    </form>
  )
}

type OrganizationProps = { onClose: () => void; onChoose: (organization_id: string | null) => void }

export function ChooseOrganization({ onClose, onChoose }: OrganizationProps) {
  const { t } = useLingui()
  const [id, setId] = useState('')
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        onChoose(id === '' ? null : id)
      }}
    >
      <Stack gap="md">
        <OrganizationField
          permission="users:write"
          value={id}
          onChange={setId}
          description={t`Empty: they belong to none.`}
        />
        <p className={styles.note}>
          <Trans>
            Users who move are signed out, and lose the groups and the linked accounts of their former organization.
          </Trans>
        </p>
        <Foot onClose={onClose} isReady />
      </Stack>
    </form>
  )
}

function Foot({ onClose, isReady }: { onClose: () => void; isReady: boolean }) {
  return (
    <DialogFoot>
      <Button variant="default" onClick={onClose}>
        <Trans>Cancel</Trans>
      </Button>
      <Button type="submit" disabled={!isReady}>
        <Trans>Preview</Trans>
      </Button>
    </DialogFoot>
  )
}
