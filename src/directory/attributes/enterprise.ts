/** The attributes that hold those of SCIM's enterprise extension (RFC 7643 §4.3), if they are defined: by their names there. */
export const enterpriseAttributes = {
  employeeNumber: 'employee_number',
  costCenter: 'cost_center',
  organization: 'organization',
  division: 'division',
  department: 'department',
  manager: 'manager',
} as const
