/**
 * The messages of the protocols that the driver speaks itself: descriptors, reflection, health,
 * details of errors.
 */
import { compactMessages } from './compact-models.ts';
import type { TypeModels } from './model.ts';

const D = 'google.protobuf';
const R = 'reflection';

/** The part of `google/protobuf/descriptor.proto` that is used. */
const DESCRIPTORS = {
  [`${D}.FileDescriptorProto`]: `name:1:string package:2:string dependency:3:string[]
    messageType:4:message=${D}.DescriptorProto[] enumType:5:message=${D}.EnumDescriptorProto[]
    service:6:message=${D}.ServiceDescriptorProto[] options:8:message=${D}.FileOptions
    sourceCodeInfo:9:message=${D}.SourceCodeInfo syntax:12:string edition:14:int32`,
  [`${D}.DescriptorProto`]: `name:1:string field:2:message=${D}.FieldDescriptorProto[]
    nestedType:3:message=${D}.DescriptorProto[] enumType:4:message=${D}.EnumDescriptorProto[]
    options:7:message=${D}.MessageOptions oneofDecl:8:message=${D}.OneofDescriptorProto[]`,
  [`${D}.FieldDescriptorProto`]: `name:1:string number:3:int32 label:4:int32 type:5:int32
    typeName:6:string options:8:message=${D}.FieldOptions oneofIndex:9:int32 jsonName:10:string
    proto3Optional:17:bool`,
  [`${D}.OneofDescriptorProto`]: 'name:1:string',
  [`${D}.EnumDescriptorProto`]: `name:1:string value:2:message=${D}.EnumValueDescriptorProto[]`,
  [`${D}.EnumValueDescriptorProto`]: 'name:1:string number:2:int32',
  [`${D}.ServiceDescriptorProto`]: `name:1:string method:2:message=${D}.MethodDescriptorProto[]`,
  [`${D}.MethodDescriptorProto`]: `name:1:string inputType:2:string outputType:3:string
    options:4:message=${D}.MethodOptions clientStreaming:5:bool serverStreaming:6:bool`,
  [`${D}.FileOptions`]: `features:50:message=${D}.FeatureSet`,
  [`${D}.MessageOptions`]: `mapEntry:7:bool features:12:message=${D}.FeatureSet`,
  [`${D}.FieldOptions`]: `packed:2:bool deprecated:3:bool features:21:message=${D}.FeatureSet`,
  [`${D}.MethodOptions`]: 'deprecated:33:bool idempotencyLevel:34:int32',
  [`${D}.FeatureSet`]: `fieldPresence:1:int32 repeatedFieldEncoding:3:int32
    messageEncoding:5:int32`,
  [`${D}.SourceCodeInfo`]: `location:1:message=${D}.SourceCodeInfo.Location[]`,
  [`${D}.SourceCodeInfo.Location`]:
    'path:1:int32[] leadingComments:3:string trailingComments:4:string',
};

/** The same in `grpc.reflection.v1` and `grpc.reflection.v1alpha`. */
const REFLECTION = {
  [`${R}.Request`]: `host:1:string fileByFilename:3:string fileContainingSymbol:4:string
    listServices:7:string`,
  [`${R}.Response`]: `files:4:message=${R}.Files services:6:message=${R}.Services
    error:7:message=${R}.Error`,
  [`${R}.Files`]: 'fileDescriptorProto:1:bytes[]',
  [`${R}.Services`]: `service:1:message=${R}.Service[]`,
  [`${R}.Service`]: 'name:1:string',
  [`${R}.Error`]: 'errorCode:1:int32 errorMessage:2:string',
};

const HEALTH = {
  'grpc.health.v1.HealthCheckRequest': 'service:1:string',
  'grpc.health.v1.HealthCheckResponse': 'status:1:int32',
};

const DETAILS = {
  'google.rpc.Status': 'code:1:int32 message:2:string details:3:message=google.protobuf.Any[]',
  'google.rpc.BadRequest': 'fieldViolations:1:message=google.rpc.BadRequest.FieldViolation[]',
  'google.rpc.BadRequest.FieldViolation': 'field:1:string description:2:string',
  'google.rpc.RetryInfo': 'retryDelay:1:message=google.protobuf.Duration',
  'google.rpc.ErrorInfo': 'reason:1:string domain:2:string',
  'google.rpc.PreconditionFailure':
    'violations:1:message=google.rpc.PreconditionFailure.Violation[]',
  'google.rpc.PreconditionFailure.Violation': 'type:1:string subject:2:string description:3:string',
  'google.rpc.QuotaFailure': 'violations:1:message=google.rpc.QuotaFailure.Violation[]',
  'google.rpc.QuotaFailure.Violation': 'subject:1:string description:2:string',
  'google.rpc.LocalizedMessage': 'locale:1:string message:2:string',
  'google.rpc.ResourceInfo':
    'resourceType:1:string resourceName:2:string owner:3:string description:4:string',
};

const withPresence = (models: TypeModels['messages']): TypeModels['messages'] =>
  Object.fromEntries(
    Object.entries(models).map(([name, { fields }]) => [
      name,
      { fields: fields.map((field) => (field.many ? field : { ...field, presence: true })) },
    ]),
  );

export const PROTOCOL_TYPES: TypeModels = {
  messages: {
    // An absent field of a descriptor has a meaning of its own, and costs nothing to leave out.
    ...withPresence(compactMessages(DESCRIPTORS)),
    ...withPresence(compactMessages(REFLECTION)),
    ...compactMessages(HEALTH),
    ...compactMessages(DETAILS),
  },
  enums: {},
};
