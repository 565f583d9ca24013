/* list.h -- the architectures. ARCHITECTURE(x) stands for x.c, FAMILY(f, x) for one of those in
 * f.c. */
#define FAMILY(file, name) ARCHITECTURE(name)
ARCHITECTURE(mlp)
ARCHITECTURE(lenet5)
ARCHITECTURE(cnn)
FAMILY(resnet, resnet8)
FAMILY(resnet, resnet14)
FAMILY(resnet, resnet20)
FAMILY(resnet, resnet32)
FAMILY(resnet, resnet44)
FAMILY(resnet, resnet56)
FAMILY(resnet, resnet110)
ARCHITECTURE(wrn)
ARCHITECTURE(vgg16bn)
ARCHITECTURE(text_cnn)
ARCHITECTURE(head)
#undef FAMILY
