import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Checkbox, FileButton, NativeSelect, PasswordInput, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { OrganizationField } from '../../parts/organizations/organization-field.tsx'
import { GuideText } from '../../parts/provider-guides/guide-text.tsx'
import { RoleSelect } from '../../parts/user-details/role-select.tsx'
import type { Field } from './fields.ts'
import { PairsField } from './pairs-field.tsx'
import styles from './sign-in-connections.module.css'
import type { Advice } from './use-advice.ts'
import type { Pair, Value, Values } from './values.ts'

type Props = {
  fields: readonly Field[]
  values: Values
  onChange: (values: Values) => void
  faults: Record<string, string>
  /** A likely mistake in the present value. */
  adviceOn?: (name: string) => Advice | undefined
}

/** The usual fields, and the others on request. */
export function SettingsFields({ fields, values, onChange, faults, adviceOn = () => undefined }: Props) {
  const rare = fields.filter((field) => field.rare === true)
  const isFaulty = rare.some(({ name }) => faults[name] !== undefined)
  const [isOpen, setIsOpen] = useState(false)
  const isVisible = isOpen || isFaulty
  const one = (field: Field) => (
    <OneField
      key={field.name}
      field={field}
      value={values[field.name] ?? ''}
      onChange={(value) => onChange({ ...values, [field.name]: value })}
      fault={faults[field.name]}
      advice={adviceOn(field.name)}
    />
  )
  return (
    <>
      {fields.filter((field) => field.rare !== true).map(one)}
      {rare.length > 0 && (
        <div>
          <Button size="xs" variant="default" aria-expanded={isVisible} onClick={() => setIsOpen(!isVisible)}>
            {isVisible ? <Trans>Fewer settings</Trans> : <Trans>More settings</Trans>}
          </Button>
        </div>
      )}
      {isVisible && rare.map(one)}
    </>
  )
}

type FieldProps = { field: Field; value: Value; onChange: (value: Value) => void; fault: string | undefined }

/** A field, with a button for the value that was probably meant. */
function OneField({ advice, ...props }: FieldProps & { advice: Advice | undefined }) {
  const field = <Control {...props} fault={props.fault ?? advice?.text} />
  const { suggestion } = advice ?? {}
  if (suggestion === undefined) return field
  const isLong = suggestion.includes('\n') || props.field.type === 'secret'
  return (
    <div className={styles.file}>
      {field}
      <Button size="xs" variant="default" onClick={() => props.onChange(suggestion)}>
        {isLong ? (
          <Trans>Correct it</Trans>
        ) : (
          // One child: the button lays its children out side by side, without the space between.
          <span>
            <Trans>
              Use <bdi dir="ltr">{suggestion}</bdi>
            </Trans>
          </span>
        )}
      </Button>
    </div>
  )
}

function Control({ field, value, onChange, fault }: FieldProps) {
  const { label, description, placeholder, required = false } = field
  const text = typeof value === 'string' ? value : ''
  const common = {
    label,
    required,
    error: fault,
    ...((description !== undefined || field.source !== undefined) && { description: <Description field={field} /> }),
    ...(placeholder !== undefined && { placeholder }),
  }
  const typed = {
    ...common,
    value: text,
    onChange: (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value),
  }
  switch (field.type) {
    case 'check':
      return (
        <Checkbox
          label={label}
          description={description}
          error={fault}
          checked={value === true}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
      )
    case 'select':
      return <NativeSelect {...typed} data={[...field.choices]} />
    case 'role':
      return <RoleSelect {...typed} current={text} />
    case 'organization':
      return (
        <OrganizationField
          permission="connections:write"
          value={text}
          onChange={onChange}
          error={fault}
          {...(description && { description })}
        />
      )
    case 'pairs':
      return <PairsField field={field} pairs={value as readonly Pair[]} onChange={onChange} fault={fault} />
    case 'secret':
      return <PasswordInput {...typed} autoComplete="new-password" dir="ltr" />
    case 'area':
    case 'lines':
      return <Textarea {...typed} rows={field.type === 'lines' ? 2 : 4} dir="ltr" spellCheck={false} />
    case 'file':
      return (
        <div className={styles.file}>
          <Textarea {...typed} rows={3} dir="ltr" spellCheck={false} />
          <ReadFile accept={field.accept} label={label} onRead={onChange} />
        </div>
      )
    default:
      return <TextInput {...typed} autoComplete="off" dir="ltr" spellCheck={false} />
  }
}

function Description({ field: { description, source } }: { field: Field }) {
  return (
    <>
      {source !== undefined && <GuideText>{source}</GuideText>}
      {source !== undefined && description !== undefined && ' · '}
      {description}
    </>
  )
}

/** Puts the text of a file into the field. */
function ReadFile({ accept, label, onRead }: { accept: string; label: string; onRead: (text: string) => void }) {
  const { t } = useLingui()
  return (
    <FileButton
      accept={accept}
      onChange={(file) => void file?.text().then(onRead)}
      inputProps={{ 'aria-label': label }}
    >
      {(props) => (
        <Button {...props} size="xs" variant="default" aria-label={t`Read a file: ${label}`}>
          <Trans>Read a file</Trans>
        </Button>
      )}
    </FileButton>
  )
}
