/** The icons of the console: 20 units wide, in the colour of the text. */
import type { ReactNode } from 'react'

type IconProps = { size?: number }

function Icon({ size = 18, children }: IconProps & { children: ReactNode }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 20 20"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.6"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      {children}
    </svg>
  )
}

export const IconUsers = (props: IconProps) => (
  <Icon {...props}>
    <circle cx="7.5" cy="6.5" r="3" />
    <path d="M2 16.5c.4-3 2.500-4.750 5.500-4.750s5.100 1.750 5.500 4.750" />
    <path d="M13 3.800a3 3 0 0 1 0 5.400M15.200 12.200c1.600.7 2.600 2.200 2.800 4.300" />
  </Icon>
)
export const IconGroups = (props: IconProps) => (
  <Icon {...props}>
    <circle cx="10" cy="6" r="2.500" />
    <path d="M5.800 16.500c.3-2.800 1.900-4.500 4.200-4.500s3.900 1.700 4.200 4.500" />
    <path d="M5 5.200a2 2 0 0 0 0 3.800M2 13.800c.1-1.500.8-2.600 2-3.100M15 5.200a2 2 0 0 1 0 3.800M18 13.800c-.1-1.500-.8-2.600-2-3.100" />
  </Icon>
)
export const IconOrganization = (props: IconProps) => (
  <Icon {...props}>
    <path d="M3.500 17V4.500a1 1 0 0 1 1-1h6a1 1 0 0 1 1 1V17M11.500 8.500h4a1 1 0 0 1 1 1V17M2.500 17h15M6.300 7h2.400M6.300 10h2.400M6.300 13h2.400M14 12h.01M14 14.500h.01" />
  </Icon>
)
export const IconInbox = (props: IconProps) => (
  <Icon {...props}>
    <path d="M3 11.500 5 4.500h10l2 7v4H3zM3 11.500h4c.3 1.400 1.400 2.200 3 2.200s2.700-.8 3-2.200h4" />
  </Icon>
)
export const IconBrush = (props: IconProps) => (
  <Icon {...props}>
    <path d="M16.800 3.200c-3 1.200-6.800 4.600-8.600 7.200l2.400 2.400c2.600-1.800 6-5.600 7.200-8.600zM7.200 11.400c-2 .1-2.900 1.300-3 3.100-.1 1.100-.6 1.800-1.500 2.300 3 .8 6.300-.2 6.500-3.400" />
  </Icon>
)
export const IconChart = (props: IconProps) => (
  <Icon {...props}>
    <path d="M3 17V3M3 17h14M6.500 13.500V10M10 13.500V6M13.500 13.500V8.500" />
  </Icon>
)
export const IconImport = (props: IconProps) => (
  <Icon {...props}>
    <path d="M10 3v9M6.500 8.800 10 12.300l3.500-3.500M3.500 13.500v2.500a1 1 0 0 0 1 1h11a1 1 0 0 0 1-1v-2.500" />
  </Icon>
)
export const IconExport = (props: IconProps) => (
  <Icon {...props}>
    <path d="M10 12.300V3.300M6.500 6.500 10 3l3.500 3.500M3.500 13.500v2.500a1 1 0 0 0 1 1h11a1 1 0 0 0 1-1v-2.500" />
  </Icon>
)
export const IconDoor = (props: IconProps) => (
  <Icon {...props}>
    <path d="M9.500 3.500h5.500a1 1 0 0 1 1 1v11a1 1 0 0 1-1 1H9.500M3 10h8.500M8.500 6.800l3.200 3.200-3.200 3.200" />
  </Icon>
)
export const IconKey = (props: IconProps) => (
  <Icon {...props}>
    <circle cx="7" cy="13" r="3.500" />
    <path d="m9.500 10.500 6.500-6.500M13 7l2.500 2.500M15 5l1.700 1.700" />
  </Icon>
)
export const IconMail = (props: IconProps) => (
  <Icon {...props}>
    <rect x="2.500" y="4.500" width="15" height="11" rx="1.500" />
    <path d="m3 6 7 5 7-5" />
  </Icon>
)
export const IconProvisioning = (props: IconProps) => (
  <Icon {...props}>
    <circle cx="13.5" cy="6.500" r="2.500" />
    <path d="M9 16.500c0-2.500 2-4.500 4.500-4.500s4.500 2 4.500 4.500M2 8.500h5.500M5.300 6l2.500 2.500L5.300 11" />
  </Icon>
)
export const IconAttributes = (props: IconProps) => (
  <Icon {...props}>
    <path d="M3.500 5h4M10.500 5h6M3.500 10h7M13.500 10h3M3.500 15h2.500M9 15h7.500" />
    <circle cx="9" cy="5" r="1.500" />
    <circle cx="12" cy="10" r="1.500" />
    <circle cx="7.500" cy="15" r="1.500" />
  </Icon>
)
export const IconWebhook = (props: IconProps) => (
  <Icon {...props}>
    <circle cx="10" cy="5.500" r="2.500" />
    <circle cx="5" cy="14" r="2.500" />
    <circle cx="15" cy="14" r="2.500" />
    <path d="M8.800 7.700 6.300 11.900M11.200 7.700l2.500 4.200M7.500 14h5" />
  </Icon>
)
export const IconHistory = (props: IconProps) => (
  <Icon {...props}>
    <path d="M3.500 10a6.500 6.500 0 1 0 2-4.700L3.500 7.300M3.500 3.800v3.500H7M10 6.500V10l2.500 1.700" />
  </Icon>
)
export const IconClock = (props: IconProps) => (
  <Icon {...props}>
    <circle cx="10" cy="10" r="7.500" />
    <path d="M10 5.500V10l3 2" />
  </Icon>
)
export const IconShield = (props: IconProps) => (
  <Icon {...props}>
    <path d="M10 2.800 4 5v4.500c0 3.600 2.500 6.300 6 7.700 3.500-1.400 6-4.100 6-7.700V5zM7.500 9.800l1.800 1.800 3.300-3.400" />
  </Icon>
)
export const IconPhone = (props: IconProps) => (
  <Icon {...props}>
    <rect x="5.500" y="2.500" width="9" height="15" rx="2" />
    <path d="M8.750 14.750h2.500" />
  </Icon>
)
export const IconServer = (props: IconProps) => (
  <Icon {...props}>
    <rect x="3" y="3.500" width="14" height="5.500" rx="1.500" />
    <rect x="3" y="11" width="14" height="5.500" rx="1.500" />
    <path d="M6 6.250h.01M6 13.750h.01M9 6.250h4M9 13.750h4" />
  </Icon>
)
export const IconSearch = (props: IconProps) => (
  <Icon {...props}>
    <circle cx="9" cy="9" r="5.500" />
    <path d="m13.200 13.200 3.800 3.800" />
  </Icon>
)
export const IconPlus = (props: IconProps) => (
  <Icon {...props}>
    <path d="M10 4v12M4 10h12" />
  </Icon>
)
export const IconClose = (props: IconProps) => (
  <Icon {...props}>
    <path d="m5 5 10 10M15 5 5 15" />
  </Icon>
)
export const IconCheck = (props: IconProps) => (
  <Icon {...props}>
    <path d="m4.500 10.500 3.500 3.500 7.500-8" />
  </Icon>
)
export const IconCode = (props: IconProps) => (
  <Icon {...props}>
    <path d="M7 5.500 2.500 10 7 14.500M13 5.500l4.500 4.500-4.500 4.500" />
  </Icon>
)
export const IconMore = (props: IconProps) => (
  <Icon {...props}>
    <path d="M4.500 10h.01M10 10h.01M15.500 10h.01" strokeWidth="2.600" />
  </Icon>
)
export const IconFilter = (props: IconProps) => (
  <Icon {...props}>
    <path d="M3 5h14M6 10h8M8.500 15h3" />
  </Icon>
)
export const IconPaste = (props: IconProps) => (
  <Icon {...props}>
    <path d="M7.500 3h5v2.500h-5zM7.500 4H5v13h10V4h-2.500M7.500 9h5M7.500 12.500h5" />
  </Icon>
)
export const IconColumns = (props: IconProps) => (
  <Icon {...props}>
    <path d="M4 4h12a1 1 0 0 1 1 1v10a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1V5a1 1 0 0 1 1-1zM8 4v12M12.500 4v12" />
  </Icon>
)
export const IconUp = (props: IconProps) => (
  <Icon {...props}>
    <path d="m5 12 5-5 5 5" />
  </Icon>
)
export const IconDown = (props: IconProps) => (
  <Icon {...props}>
    <path d="m5 8 5 5 5-5" />
  </Icon>
)
export const IconMenu = (props: IconProps) => (
  <Icon {...props}>
    <path d="M3 5.500h14M3 10h14M3 14.500h14" />
  </Icon>
)
export const IconSun = (props: IconProps) => (
  <Icon {...props}>
    <circle cx="10" cy="10" r="3.500" />
    <path d="M10 2.500v1M10 16.500v1M2.500 10h1M16.500 10h1M4.700 4.700l.7.700M14.600 14.600l.7.700M4.700 15.300l.7-.700M14.600 5.400l.7-.700" />
  </Icon>
)
export const IconTrash = (props: IconProps) => (
  <Icon {...props}>
    <path d="M4 5.500h12M8 5.500V4a1 1 0 0 1 1-1h2a1 1 0 0 1 1 1v1.500M5.500 5.500l.6 10.400a1 1 0 0 0 1 1h5.800a1 1 0 0 0 1-1l.6-10.400" />
  </Icon>
)
export const IconBack = (props: IconProps) => (
  <Icon {...props}>
    <path d="M12.500 4.500 7 10l5.500 5.500" />
  </Icon>
)
export const IconKeyboard = (props: IconProps) => (
  <Icon {...props}>
    <rect x="2.500" y="5" width="15" height="10" rx="1.500" />
    <path d="M5.500 8h.01M8.500 8h.01M11.500 8h.01M14.500 8h.01M7 12h6" />
  </Icon>
)
export const IconWarning = (props: IconProps) => (
  <Icon {...props}>
    <path d="M8.700 3.800 2.600 14.300a1.500 1.500 0 0 0 1.300 2.200h12.200a1.500 1.500 0 0 0 1.300-2.200L11.300 3.800a1.500 1.500 0 0 0-2.600 0zM10 8v3.500M10 14h.01" />
  </Icon>
)
